const waiting = new Map<Element, () => void>();

function draw(element: Element): void {
  const action = waiting.get(element);
  waiting.delete(element);
  observer.unobserve(element);
  action?.();
}

const observer = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) if (entry.isIntersecting) draw(entry.target);
  },
  { rootMargin: "600px 0px" },
);

/** Runs an action once, when an element comes near the window. */
export function whenNear(element: Element, action: () => void): void {
  waiting.set(element, action);
  observer.observe(element);
}

/** Runs an action whenever the width of an element has changed; an observer alone would also run it at once. */
export function whenWidthChanges(element: Element, action: () => void): void {
  let width = element.clientWidth;
  new ResizeObserver(() => {
    if (element.clientWidth === width) return;
    width = element.clientWidth;
    if (width > 0) action();
  }).observe(element);
}

function drawAll(): void {
  for (const element of [...waiting.keys()]) draw(element);
}

// For those who need the whole page at once, such as tests: document.dispatchEvent(new Event("rattleback:draw-all")).
document.addEventListener("rattleback:draw-all", drawAll);
