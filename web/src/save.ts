import { h } from "./dom";

function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = h("a", { href: url, download: name });
  link.click();
  // The browser reads the data after this turn.
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export function saveSvg(markup: string, name: string): void {
  download(new Blob([`<?xml version="1.0" encoding="UTF-8"?>\n${markup}\n`], { type: "image/svg+xml" }), `${name}.svg`);
}

/** Three pixels for each unit of the picture: 300 dpi at 18 cm width. */
export async function savePng(markup: string, name: string): Promise<void> {
  const url = URL.createObjectURL(new Blob([markup], { type: "image/svg+xml" }));
  const image = new Image();
  image.src = url;
  await image.decode();
  URL.revokeObjectURL(url);
  const canvas = h("canvas");
  canvas.width = 3 * image.naturalWidth;
  canvas.height = 3 * image.naturalHeight;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => {
    if (blob) download(blob, `${name}.png`);
  }, "image/png");
}

export function fileName(id: string): string {
  return id.replace(/[^\w.-]+/g, "-");
}
