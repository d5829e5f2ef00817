import { h } from "./dom";

const key = "rattleback-theme";
const root = document.documentElement;

export function isDark(): boolean {
  return root.dataset["theme"] === "dark";
}

// Pages opened from disk may be forbidden to store anything.
function stored(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function store(theme: string): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    return;
  }
}

function apply(theme: string): void {
  if (root.dataset["theme"] === theme) return;
  root.dataset["theme"] = theme;
  document.dispatchEvent(new Event("themechange"));
}

export function onThemeChange(listener: () => void): void {
  document.addEventListener("themechange", listener);
}

/** Follows the system until the reader chooses. */
export function initTheme(): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const choose = () => apply(stored() ?? (system.matches ? "dark" : "light"));
  system.addEventListener("change", choose);
  choose();
}

export function themeButton(): HTMLElement {
  const button = h("button", {
    type: "button",
    class: "theme-toggle",
    click: () => {
      const theme = isDark() ? "light" : "dark";
      store(theme);
      apply(theme);
    },
  });
  const label = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
  };
  onThemeChange(label);
  label();
  return button;
}
