import { getKindNoun } from "#words/names.ts";
import { useUrlHash } from "../shared/browser.ts";
import { convertToAddressSettings, convertToServiceSettings } from "./lists/list_kinds.ts";

/** A page's name, subject and settings. It is stored in the URL, so that links and the Back button work. */
export interface PageAddress {
  readonly page: string;
  /** Subject of the page, such as a rack's code; empty for pages without one. */
  readonly subject: string;
  readonly settings: URLSearchParams;
}

/** Parses `#/page/subject?key=value`. Malformed text gives the address of an unknown page, never an exception. */
export function parseAddress(hash: string): PageAddress {
  const [path = "", query = ""] = splitAtFirst(hash.replace(/^#\/?/, ""), "?");
  const [word = "", rest = ""] = splitAtFirst(path, "/");
  const named = word.replaceAll("-", "_");
  const page = named === "cooling_unit" ? "crac" : named;
  const settings = new URLSearchParams(query);
  // Old links to the former search page lead to the list of devices, which has its filters.
  if (page === "search") return { page: "devices", subject: "", settings: convertSearchSettings(settings) };
  return {
    page: page === "" ? "overview" : page,
    subject: decodeUrlPart(rest),
    settings: convertToServiceSettings(page, settings),
  };
}

function convertSearchSettings(settings: URLSearchParams): URLSearchParams {
  const renamed = { cord: ["cords", "1..1"], free: ["free_port", "YES"] } as const;
  const now = new URLSearchParams(settings);
  now.delete("order");
  for (const [old, [name, value]] of Object.entries(renamed)) {
    if (now.get(old) === "1") now.set(name, value);
    now.delete(old);
  }
  return now;
}

/** Returns the hash URL of a page. Leaves out settings with the value "". */
export function formatPageUrl(page: string, subject = "", settings: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries(convertToAddressSettings(page, settings)).filter(([, value]) => value !== "");
  const query = given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
  return `#/${getKindNoun(page).replaceAll(" ", "-")}${subject === "" ? "" : `/${encodeURIComponent(subject)}`}${query}`;
}

/** Kinds of references that have a page with the data of the element's list row. */
export const OBJECT_PAGE_KINDS = [
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

/** Returns the URL of the page for a reference; undefined for kinds without a page. */
export function findRefUrl(ref: string): string | undefined {
  const [kind = "", id = ""] = splitAtFirst(ref, ":");
  if (kind === "floor") return formatPageUrl("floor", ref);
  if (kind === "zone") return formatPageUrl("thermal", ref);
  const hasPage = ["rack", "device", "fabric", "window", ...OBJECT_PAGE_KINDS].includes(kind);
  return hasPage ? formatPageUrl(kind, id) : undefined;
}

/** Returns the current page address; the component is drawn again when it changes. */
export function usePageAddress(): PageAddress {
  return parseAddress(useUrlHash());
}

/**
 * Changes settings in the URL. Reads the URL instead of the drawn page, because two changes can follow each other at
 * once, such as when a click on a switch leaves a field.
 */
export function changeSettings(changed: Readonly<Record<string, string>>): void {
  const { page, subject, settings } = parseAddress(location.hash);
  location.hash = formatPageUrl(page, subject, { ...Object.fromEntries(settings), ...changed });
}

/** Returns the value of a setting in the URL and a function that changes it, as properties of a field. */
export function bindSetting(settings: URLSearchParams, name: string) {
  return { value: settings.get(name) ?? "", change: (value: string) => changeSettings({ [name]: value }) };
}

/** Opens the same page for another subject and keeps its settings. */
export function changeSubject(subject: string): void {
  const { page, settings } = parseAddress(location.hash);
  location.hash = formatPageUrl(page, subject, Object.fromEntries(settings));
}

/** Converts a word of a URL to an enum constant of the service: "max" with prefix LOAD_BASIS is LOAD_BASIS_MAX. */
export function convertToConstant(prefix: string, word: string): string {
  return `${prefix}_${word === "" ? "UNSPECIFIED" : word.toUpperCase().replaceAll("-", "_")}`;
}

function decodeUrlPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Splits a text at the first occurrence of a mark. The second part is "" if the text does not contain the mark. */
export function splitAtFirst(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + mark.length)];
}
