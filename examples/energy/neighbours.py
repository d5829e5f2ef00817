"""How far neighbours come apart.   python3 neighbours.py RESULT.h5   (needs numpy and h5py)

Members follow each other in pairs. Distances are those of (q, v), over all pairs.
"""
import sys
import h5py
import numpy as np

file = h5py.File(sys.argv[1])
state = np.concatenate([file["times/q"][:], file["times/v"][:]], axis=-1)
distance = np.linalg.norm(state[0::2] - state[1::2], axis=-1)
for t, d in zip(np.nanmax(file["times/time"][:], axis=0), distance.T):
    print(f"t = {t:<6g} median {np.median(d):<9.2g} further apart than 1: {(d > 1).sum()} of {len(d)}")
