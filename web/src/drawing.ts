/** What the cursor points at in one series: text for the legend. */
export type Readout = { heading: string; values: (string | null)[] };

/** The inside of a figure: something drawn of series that can be switched on and off. */
export interface Drawing {
  readonly element: HTMLElement;
  /** Draws for the size that the element has now. */
  resize(): void;
  setVisible(series: number, visible: boolean): void;
  /** Back to the view of the beginning. */
  reset(): void;
  /** The current view as a picture for print. */
  svg(): string;
  /** Switches of its own, for the toolbar. */
  readonly switches: HTMLElement[];
}
