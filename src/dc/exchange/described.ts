import {
  MAX_COMMENT_CHARS,
  MAX_LABEL_KEY_CHARS,
  MAX_LABEL_VALUE_CHARS,
  MAX_LABELS,
  MAX_TAGS,
  MAX_TEXT_CHARS,
} from "#dc/limits.ts";
import { isSlugText } from "#dc/model/code.ts";
import { convertToSlug } from "./codes.ts";
import { type OmissionLog, removeEmptyFields } from "./item.ts";

/** Labels with the id of a resource's imported object, and with the address of this object. */
export const ORIGIN_LABEL = "origin";
export const ORIGIN_URL_LABEL = "origin_url";

/** Information of a source about an object, other than the object's own fields. */
export interface ObjectRemarks {
  /** Id of the object in the source, such as `cable/12`. */
  readonly id: string;
  readonly name: string;
  /** Id with the name of the source, such as `netbox:cable/12`. */
  readonly origin: string;
  readonly url?: string | undefined;
  /** Labels of the object, the most important first; labels beyond the limit are omitted. */
  readonly labels: readonly (readonly [key: string, value: string])[];
  readonly tags: readonly string[];
  readonly comments: readonly string[];
}

export interface DescribedResource {
  readonly labels?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly comments?: string;
}

/** Fits remarks into the limits of labels, tags and comments, and notes omitted values. */
export function describeResource(remarks: ObjectRemarks, omissions: OmissionLog): DescribedResource {
  return removeEmptyFields<DescribedResource>({
    labels: buildLabels(remarks, omissions),
    tags: buildTags(remarks, omissions),
    comments: clipText(
      remarks.comments
        .map((one) => one.trim())
        .filter((one) => one !== "")
        .join("\n\n"),
      MAX_COMMENT_CHARS,
      () =>
        omissions.addObject(
          `A comment is longer than ${MAX_COMMENT_CHARS} characters: its end is left out`,
          remarks.id,
          remarks.name,
        ),
    ),
  });
}

function buildLabels(
  { id, name, origin, url, labels }: ObjectRemarks,
  omissions: OmissionLog,
): Readonly<Record<string, string>> {
  const all = new Map([[ORIGIN_LABEL, origin]]);
  if (url !== undefined && url.length <= MAX_LABEL_VALUE_CHARS) all.set(ORIGIN_URL_LABEL, url);
  for (const [key, value] of labels) {
    const short = cleanText(key).slice(0, MAX_LABEL_KEY_CHARS);
    const text = cleanText(value);
    if (short === "" || text === "" || all.has(short)) continue;
    if (all.size >= MAX_LABELS) {
      omissions.addObject(`More than ${MAX_LABELS} labels: the rest is left out`, id, name, key);
      break;
    }
    all.set(
      short,
      clipText(text, MAX_LABEL_VALUE_CHARS, () =>
        omissions.addObject(
          `A label is longer than ${MAX_LABEL_VALUE_CHARS} characters: its end is left out`,
          id,
          name,
          key,
        ),
      ),
    );
  }
  return Object.fromEntries(all);
}

function buildTags({ id, name, tags }: ObjectRemarks, omissions: OmissionLog): readonly string[] {
  const slugs = new Set<string>();
  for (const tag of tags) {
    const slug = isSlugText(tag) ? tag : convertToSlug(tag);
    if (slug === undefined) omissions.addObject("A tag has no letter or digit that a slug takes", id, name, tag);
    else slugs.add(slug);
  }
  if (slugs.size > MAX_TAGS) omissions.addObject(`More than ${MAX_TAGS} tags: the rest is left out`, id, name);
  return [...slugs].slice(0, MAX_TAGS);
}

/** Returns a text without control characters within a limit; calls `cut` if it is longer. Undefined if empty. */
export function limitNameLength(text: string, onCut: () => void, most = MAX_TEXT_CHARS): string | undefined {
  const short = clipText(cleanText(text), most, onCut);
  return short === "" ? undefined : short;
}

/** Trims a text and replaces its control characters by blanks. */
export function cleanText(text: string): string {
  return /[\p{Cc}\p{Cs}]/u.test(text) ? text.replace(/[\p{Cc}\p{Cs}]+/gu, " ").trim() : text.trim();
}

function clipText(text: string, most: number, cut: () => void): string {
  const safe = text.includes("\0") ? text.replaceAll("\0", " ") : text;
  if (safe.length <= most) return safe;
  cut();
  // Does not split a surrogate pair.
  const end = /[\uD800-\uDBFF]/.test(safe[most - 1] ?? "") ? most - 1 : most;
  return safe.slice(0, end);
}
