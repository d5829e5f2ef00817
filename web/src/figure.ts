import type { Figure } from "./report";
import { h, parseSvg, setPressed } from "./dom";
import type { Drawing, Readout } from "./drawing";
import { MapDrawing } from "./heatmap";
import { whenNear, whenWidthChanges } from "./lazy";
import { seriesColour } from "./palette";
import { plain } from "./plaintext";
import { PlaneDrawing } from "./plane";
import { printAs } from "./print";
import { fileName, savePng, saveSvg } from "./save";
import { SpaceDrawing } from "./space";
import { swatch } from "./svg";
import { inline, paragraphs } from "./text";
import { onThemeChange } from "./theme";

/** Switches and values of the series of a figure. */
class Legend {
  readonly element: HTMLElement;
  private readonly heading = h("div", { class: "legend-heading", "aria-live": "off" });
  private readonly values: HTMLElement[] = [];

  constructor(figure: Figure, toggle: (series: number, visible: boolean) => void) {
    const entries = figure.series.map((series, i) => {
      const sample = h("span", { class: "swatch" });
      const paintSample = () => {
        const content = swatch(series, i, seriesColour(i));
        sample.replaceChildren(
          parseSvg(`<svg xmlns="http://www.w3.org/2000/svg" width="26" height="12" viewBox="0 0 26 12">${content}</svg>`),
        );
      };
      paintSample();
      onThemeChange(paintSample);
      const value = h("span", { class: "legend-value" });
      this.values.push(value);
      const button = h(
        "button",
        {
          type: "button",
          class: "legend-entry",
          title: "Show or hide",
          click: () => {
            const visible = button.getAttribute("aria-pressed") !== "true";
            setPressed(button, visible);
            toggle(i, visible);
          },
        },
        sample,
        h("span", { class: "legend-name" }, inline(series.name)),
        value,
      );
      setPressed(button, true);
      return h("li", {}, button);
    });
    this.element = h("div", { class: `legend legend-${figure.kind}` }, this.heading, h("ul", {}, ...entries));
  }

  show(readout: Readout | null): void {
    this.heading.replaceChildren(readout ? inline(readout.heading) : "");
    this.values.forEach((element, i) => (element.textContent = readout?.values[i] ?? ""));
  }
}

function tool(text: string, title: string, click: () => void, kind?: string): HTMLButtonElement {
  return h("button", { type: "button", class: kind, title, click }, text);
}

/** Shows a figure in a window of its own over the page, and puts it back where it was. */
function enlarge(element: HTMLElement, resize: () => void): void {
  const place = h("div", { class: "enlarged-place" });
  place.style.height = `${element.offsetHeight}px`;
  const dialog = h("dialog", { class: "enlarged", "aria-label": "Enlarged figure" });
  const close = tool("Close", "Close the enlarged figure", () => dialog.close(), "enlarged-close");
  element.replaceWith(place);
  dialog.append(close, element);
  document.body.append(dialog);
  dialog.addEventListener("close", () => {
    place.replaceWith(element);
    dialog.remove();
    resize();
    element.querySelector<HTMLElement>(".enlarge")?.focus();
  });
  dialog.showModal();
  resize();
}

export function figureElement(figure: Figure, id: string): HTMLElement {
  const host = h("div", { class: `drawing drawing-${figure.kind}` });
  let drawing: Drawing | null = null;
  const legend = new Legend(figure, (series, visible) => create().setVisible(series, visible));
  const switches = h("span", { class: "tool-group" });

  const create = (): Drawing => {
    if (drawing) return drawing;
    const onReadout = (readout: Readout | null) => legend.show(readout);
    if (figure.kind === "space") drawing = new SpaceDrawing(figure, onReadout);
    else if (figure.kind === "map") drawing = new MapDrawing(figure, onReadout);
    else drawing = new PlaneDrawing(figure, { onReadout });
    host.append(drawing.element);
    switches.append(...drawing.switches);
    drawing.resize();
    return drawing;
  };

  const name = fileName(id);
  const tools = h(
    "div",
    { class: "tools", role: "toolbar", "aria-label": `Tools of ${plain(figure.title)}` },
    switches,
    h(
      "span",
      { class: "tool-group" },
      tool("Reset", "Show everything again (also by double click)", () => create().reset()),
      tool("Enlarge", "Show larger", () => enlarge(element, () => create().resize()), "enlarge"),
      tool("SVG", "Save as SVG", () => saveSvg(create().svg(), name)),
      tool("PNG", "Save as PNG", () => void savePng(create().svg(), name)),
    ),
  );
  const element = h(
    "figure",
    { class: `figure figure-${figure.kind}`, id },
    h("figcaption", {}, h("h4", {}, inline(figure.title)), tools),
    host,
    legend.element,
    figure.caption ? h("div", { class: "caption" }, ...paragraphs(figure.caption)) : null,
  );
  whenNear(host, () => {
    const made = create();
    whenWidthChanges(host, () => made.resize());
  });
  printAs(host, () => create().svg());
  return element;
}
