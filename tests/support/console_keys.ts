import type { Locator, Page } from "playwright-core";

const MOST_PRESSES = 90;

/** A person without a mouse: everything goes through the keyboard, and every key is counted. */
export class Keys {
  readonly #page: Page;
  #pressed = 0;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Keys pressed so far. */
  get pressed(): number {
    return this.#pressed;
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.#pressed += 1;
      await this.#page.keyboard.press(key);
    }
  }

  async type(text: string): Promise<void> {
    this.#pressed += text.length;
    await this.#page.keyboard.type(text);
  }

  /** Presses Tab, or Shift Tab for what is before, until this has the focus. */
  async tabTo(target: Locator): Promise<void> {
    await target.waitFor();
    const isBefore = await target.evaluate((element) => {
      const { activeElement, body } = element.ownerDocument;
      return activeElement !== body && ((activeElement?.compareDocumentPosition(element) ?? 0) & 2) !== 0;
    });
    await this.repeat(isBefore ? "Shift+Tab" : "Tab", target);
  }

  /** Presses a key until this has the focus. */
  async repeat(key: string, target: Locator): Promise<void> {
    await target.waitFor();
    for (let step = 0; step < MOST_PRESSES; step += 1) {
      if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
      await this.press(key);
    }
    throw new Error(`${key} does not lead to ${target}`);
  }

  /** Goes to the first hit of the one search. */
  async find(text: string, option: RegExp): Promise<void> {
    await this.#page.getByRole("button", { name: "Search" }).waitFor();
    await this.press("Control+k");
    await this.#page.getByRole("combobox", { name: "Search or jump to" }).waitFor();
    await this.type(text);
    await this.#page.getByRole("option", { name: option }).first().waitFor();
    await this.press("Enter");
  }
}
