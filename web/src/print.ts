import { h, parseSvg } from "./dom";

const pictures: { host: HTMLElement; svg: () => string }[] = [];

/** On paper, `host` shows a picture instead of what it holds on the screen. */
export function printAs(host: HTMLElement, svg: () => string): void {
  pictures.push({ host, svg });
}

export function initPrint(): void {
  window.addEventListener("beforeprint", () => {
    for (const { host, svg } of pictures) host.append(h("div", { class: "print-picture" }, parseSvg(svg())));
  });
  window.addEventListener("afterprint", () => {
    for (const picture of document.querySelectorAll(".print-picture")) picture.remove();
  });
}
