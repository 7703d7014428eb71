import { useLayoutEffect, useState } from "preact/hooks";
import { nameKind } from "#words/names.ts";
import { listAddress, listSettings } from "./lists/list_columns.ts";

/** Where the person is: a page, what it shows, and its settings. Lives in the address, so that links and Back work. */
export interface Place {
  readonly page: string;
  /** Subject of the page, such as a rack's code; empty for pages about everything. */
  readonly subject: string;
  readonly settings: URLSearchParams;
}

/** Reads `#/page/subject?key=value`. Anything unreadable is the overview's unknown sister, never an exception. */
export function parsePlace(hash: string): Place {
  const [path = "", query = ""] = splitAt(hash.replace(/^#\/?/, ""), "?");
  const [word = "", rest = ""] = splitAt(path, "/");
  const named = word.replaceAll("-", "_");
  const page = named === "cooling_unit" ? "crac" : named;
  const settings = new URLSearchParams(query);
  // Kept links to the search page that was: the list of devices has its filters.
  if (page === "search") return { page: "devices", subject: "", settings: fromSearch(settings) };
  return { page: page === "" ? "overview" : page, subject: decodePart(rest), settings: listSettings(page, settings) };
}

function fromSearch(settings: URLSearchParams): URLSearchParams {
  const renamed = { cord: ["cords", "1..1"], free: ["free_port", "YES"] } as const;
  const now = new URLSearchParams(settings);
  now.delete("order");
  for (const [old, [name, value]] of Object.entries(renamed)) {
    if (now.get(old) === "1") now.set(name, value);
    now.delete(old);
  }
  return now;
}

/** The address of a page. */
export function linkTo(page: string, subject = "", settings: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries(listAddress(page, settings)).filter(([, value]) => value !== "");
  const query = given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
  return `#/${nameKind(page).replaceAll(" ", "-")}${subject === "" ? "" : `/${encodeURIComponent(subject)}`}${query}`;
}

/** Kinds of references with a page of the data in their list. */
export const OBJECT_PAGES = [
  "site",
  "room",
  "row",
  "crac",
  "feed",
  "cable",
  "fabric_link",
  "port",
  "device_type",
] as const;

/** The page that shows what a reference names; undefined for kinds without one. */
export function linkToRef(ref: string): string | undefined {
  const [kind = "", id = ""] = splitAt(ref, ":");
  switch (kind) {
    case "rack":
      return linkTo("rack", id);
    case "device":
      return linkTo("device", id);
    case "floor":
      return linkTo("floor", ref);
    case "fabric":
      return linkTo("fabric", id);
    case "zone":
      return linkTo("thermal", ref);
    case "window":
      return linkTo(kind, id);
    default:
      return OBJECT_PAGES.some((page) => page === kind) ? linkTo(kind, id) : undefined;
  }
}

/** The place of the address, followed as it changes. */
export function usePlace(): Place {
  const [hash, setHash] = useState(location.hash);
  // Before anything else can happen: a change of the address between the drawing and a later effect would be lost.
  useLayoutEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener("hashchange", follow);
    follow();
    return () => removeEventListener("hashchange", follow);
  }, []);
  return parsePlace(hash);
}

/**
 * Changes settings of the place. It goes by the address, which is ahead of the drawing when two changes follow each
 * other at once, as where a field is left by a click on a switch.
 */
export function setSettings(changed: Readonly<Record<string, string>>): void {
  const { page, subject, settings } = parsePlace(location.hash);
  location.hash = linkTo(page, subject, { ...Object.fromEntries(settings), ...changed });
}

/** Asks the same page about something else, with the settings that it has. */
export function setSubject(subject: string): void {
  const { page, settings } = parsePlace(location.hash);
  location.hash = linkTo(page, subject, Object.fromEntries(settings));
}

function splitAt(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + mark.length)];
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
