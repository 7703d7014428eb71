import type { Locator, Page } from "playwright-core";
import { Keys } from "./console_keys.ts";
import { heading } from "./console_page.ts";
import type { EditedConsole } from "./edited_console.ts";

/** How a person does every step of a story. */
export const WAYS = ["mouse", "keys"] as const;
export type Way = (typeof WAYS)[number];

/** A person who does everything on a page of the console with the mouse, or everything with keys. */
export class Person {
  readonly page: Page;
  readonly way: Way;
  readonly keys: Keys;
  /** The small site that others change at the same time. */
  readonly desk: EditedConsole;

  constructor(page: Page, way: Way, desk: EditedConsole) {
    this.page = page;
    this.way = way;
    this.keys = new Keys(page);
    this.desk = desk;
  }

  async push(target: Locator): Promise<void> {
    await target.waitFor();
    if (this.way === "mouse") return target.click();
    await this.keys.tabTo(target);
    return this.keys.press("Enter");
  }

  /** Opens what a row of the page leads to; keys go from row to row. */
  async open(target: Locator): Promise<void> {
    await target.waitFor();
    if (this.way === "mouse") return target.click();
    await this.keys.repeat("j", target);
    return this.keys.press("Enter");
  }

  async enter(target: Locator, text: string): Promise<void> {
    if (this.way === "mouse") await target.click({ clickCount: 3 });
    else await this.keys.tabTo(target);
    if ((await target.evaluate((element) => element.tagName)) === "SELECT" && this.way === "mouse") {
      await target.selectOption(text);
    } else await this.keys.type(text);
  }
}

type Act = (person: Person) => Promise<void>;

/** What a person does, with a text for each step of it, or what is seen between two steps. */
export type Step = Act | { readonly words: readonly string[]; readonly act: Act };
export type Name = string | RegExp;

export function take(step: Step, person: Person): Promise<void> {
  return typeof step === "function" ? step(person) : step.act(person);
}

/** Types into the one search and opens its first hit, whose name begins with `hit`. */
export function search(text: string, hit = text.toUpperCase()): Step {
  const act = async ({ page, way, keys }: Person) => {
    const button = page.getByRole("button", { name: "Search" });
    await button.waitFor();
    if (way === "mouse") await button.click();
    else await keys.press("Control+k");
    await page.getByRole("combobox", { name: "Search or jump to" }).waitFor();
    await keys.type(text);
    const found = page.getByRole("option", { name: new RegExp(`^${hit}`) }).first();
    await found.waitFor();
    if (way === "mouse") await found.click();
    else await keys.press("Enter");
  };
  return { words: [`search \`${text}\``], act };
}

/** Follows the link of this name. */
export function follow(text: string, name: Name = text): Step {
  return one(text, (page) => page.getByRole("main").getByRole("link", { name, exact: true }).first());
}

/** Follows the link of a row of a table or list. */
export function open(text: string, name: Name = text): Step {
  const act = (person: Person) =>
    person.open(person.page.getByRole("main").getByRole("link", { name, exact: true }).first());
  return { words: [`**${text}**`], act };
}

/** Opens a device that an elevation shows; with keys its code is typed, which is shorter than walking there. */
export function pick(device: string): Step {
  const act = (person: Person) =>
    take(person.way === "mouse" ? follow(device) : search(device.toLowerCase(), device), person);
  return { words: [`**${device}**`], act };
}

/** Presses the button of this name as soon as it can be pressed; in a dialog, keys save by Ctrl Enter. */
export function press(text: string, name: Name = text): Step {
  return one(text, (page) => page.getByRole("button", { name, exact: true }).and(page.locator(":enabled")).first());
}

export function save(text: string): Step {
  const act = async (person: Person) => {
    const button = person.page.getByRole("dialog").getByRole("button", { name: new RegExp(`^${text}`) });
    await button.and(person.page.locator(":enabled")).waitFor();
    if (person.way === "mouse") await button.click();
    else await person.keys.press("Control+Enter");
  };
  return { words: [`**${text}**`], act };
}

/** Goes to a page of the navigation; `letter` goes there after G. */
export function go(name: string, letter: string): Step {
  const act = async ({ page, way, keys }: Person) => {
    const link = page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true });
    await link.waitFor();
    if (way === "mouse") await link.click();
    else await keys.press("g", letter);
  };
  return { words: [`**${name}**`], act };
}

/** Presses a button that is on every page; keys find its action. */
export function command(text: string): Step {
  const act = async ({ page, way, keys }: Person) => {
    if (way === "mouse") return page.getByRole("button", { name: text, exact: true }).click();
    await keys.press("Control+k");
    await keys.type(`>${text.toLowerCase()}`);
    await page.getByRole("option", { name: text, exact: true }).waitFor();
    await keys.press("Enter");
  };
  return { words: [`**${text}**`], act };
}

/** Opens the menu of a page and takes an action from it. */
export function more(text: string): Step {
  const act = async (person: Person) => {
    await person.push(person.page.getByRole("button", { name: "More actions" }));
    await person.push(person.page.locator(".actions-menu .button, .actions-menu button").filter({ hasText: text }));
  };
  return { words: ["**…**", `**${text}**`], act };
}

/** Gives a field of a form a value. */
export function set(label: string, value: string, group?: string): Step {
  const act = async (person: Person) => {
    const { page } = person;
    const whole = group === undefined ? page.locator("body") : page.getByRole("group", { name: group });
    // The text of a label that surrounds a choice includes the words of the choice.
    const field = whole
      .getByLabel(label, { exact: true })
      .or(whole.getByRole("combobox", { name: label, exact: true }));
    await person.enter(field.first(), value);
  };
  return { words: [`${label} \`${value}\``], act };
}

/** Asks the page by one of its fields. */
export function ask(label: string, value: string): Step {
  const act = async (person: Person) => {
    await person.enter(person.page.getByLabel(label, { exact: true }), value);
    await person.keys.press("Enter");
  };
  return { words: [`${label} \`${value}\``], act };
}

function one(text: string, target: (page: Page) => Locator): Step {
  return { words: [`**${text}**`], act: (person) => person.push(target(person.page)) };
}

/** What a person comes for, and how it is done from the first screen. */
export interface Story {
  readonly title: string;
  /** The most keys that it takes, typed letters included. */
  readonly keys: number;
  /** Width of the window. */
  readonly width?: number;
  /** Who does it on the small site, which asks for tokens; else it is the sample, which asks for none. */
  readonly who?: "anna" | "rosa";
  readonly steps: readonly Step[];
}

/** What is seen: nothing to do. */
export const titled =
  (name: string) =>
  ({ page }: Person) =>
    heading(page, name);
export const shows =
  (text: string | RegExp) =>
  ({ page }: Person) =>
    page.getByText(text).first().waitFor();
export const says =
  (text: string) =>
  ({ page }: Person) =>
    page.getByText(text, { exact: true }).first().waitFor();
export const row =
  (name: RegExp) =>
  ({ page }: Person) =>
    page.getByRole("row", { name }).first().waitFor();
