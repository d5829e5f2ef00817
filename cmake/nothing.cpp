// Headers are parsed for their own sake.
