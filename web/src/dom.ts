type Child = Node | string | null | undefined;
type Listener = (event: Event) => void;
type Attributes = Record<string, string | boolean | Listener | undefined>;

/** An element; attributes that are functions are listeners, false and undefined ones are left out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (typeof value === "string") element.setAttribute(name, value);
  }
  for (const child of children) if (child !== null && child !== undefined) element.append(child);
  return element;
}

export function parseSvg(markup: string): SVGElement {
  const root = new DOMParser().parseFromString(markup, "image/svg+xml").documentElement;
  return document.importNode(root, true) as unknown as SVGElement;
}

export function setPressed(button: HTMLElement, pressed: boolean): void {
  button.setAttribute("aria-pressed", String(pressed));
}
