import { criteriaOf } from "../spec/criteria.ts";
import { editFields, type FieldValue } from "../spec/edit/edit_fields.ts";
import type { Spec } from "../spec/spec.ts";
import { editParts, specParts } from "./body_parts.ts";
import { facetsOf, fieldFacet, partFacet, type SpecContent, TITLE } from "./spec_content.ts";

/** Fingerprints of what the source said at the last import, by facet. */
export type Known = Readonly<Record<string, string>>;

export interface Merge {
  /** Facets that follow the source. */
  readonly changed: readonly string[];
  /** Facets that a person changed here and the source changed as well. */
  readonly conflicts: readonly string[];
  /** What the next import compares with. */
  readonly known: Known;
  /** Changes the spec's text. */
  readonly apply: (text: string) => string;
}

export interface MergeInput {
  readonly spec: Spec;
  readonly content: SpecContent;
  /** Undefined if nothing is known of the last import. */
  readonly known: Known | undefined;
  readonly fingerprint: (text: string) => string;
  /** Let the source win where both sides changed. */
  readonly overwrite: boolean;
}

/**
 * Compares a spec with what its source says now and said before. A facet follows the source unless it was changed here;
 * one that only this side changed stays; one that both changed stays and is a conflict. Pure.
 */
export function mergeTask({ spec, content, known = {}, fingerprint, overwrite }: MergeInput): Merge {
  const source = facetsOf(content);
  const names = new Set([...source.keys(), ...Object.keys(known)]);
  const here = facetsHere(spec, [...names]);
  const next: Record<string, string> = {};
  const taken = new Map<string, string | undefined>();
  const conflicts: string[] = [];
  for (const name of names) {
    const facet = { name, wanted: source.get(name), own: here.get(name), before: known[name] };
    const decision = decideFacet(facet, fingerprint, overwrite);
    const said = decision === "conflict" ? facet.before : printOf(facet.wanted, fingerprint);
    if (said !== undefined) next[name] = said;
    if (decision === "conflict") conflicts.push(formatFacet(name));
    else if (decision !== "stay") taken.set(name, decision.take);
  }
  const changed = [...taken.keys()].map(formatFacet);
  return { changed, conflicts, known: next, apply: (text) => applyFacets(text, taken, content) };
}

type Fingerprint = MergeInput["fingerprint"];

/** One facet: what the source says, what the spec says, and the fingerprint of what the source said before. */
interface Facet {
  readonly name: string;
  readonly wanted: string | undefined;
  readonly own: string | undefined;
  readonly before: string | undefined;
}

type Decision = "stay" | "conflict" | { readonly take: string | undefined };

function decideFacet(facet: Facet, fingerprint: Fingerprint, overwrite: boolean): Decision {
  const { wanted, own, before } = facet;
  if (wanted === own || printOf(wanted, fingerprint) === before) return "stay";
  if (overwrite || printOf(own, fingerprint) === before) return { take: wanted };
  const merged = mergedTicks(facet, fingerprint);
  return merged === undefined ? "conflict" : { take: merged };
}

function printOf(text: string | undefined, fingerprint: Fingerprint): string | undefined {
  return text === undefined ? undefined : fingerprint(text);
}

/** The source's criteria with the ticks of here, if ticks are all that was changed here; otherwise undefined. */
function mergedTicks({ name, wanted, own, before }: Facet, fingerprint: Fingerprint): string | undefined {
  if (wanted === undefined || own === undefined || before === undefined || !name.startsWith("text ")) return undefined;
  if (fingerprint(own.replaceAll(/\[[xX]\]/g, "[ ]")) !== before) return undefined;
  const ticked = new Set(criteriaOf(own).flatMap(({ checked, label }) => (checked ? [label] : [])));
  const lines = wanted.split("\n");
  for (const { line, checked, label } of criteriaOf(wanted)) {
    if (!checked && ticked.has(label)) lines[line - 1] = (lines[line - 1] ?? "").replace("[ ]", "[x]");
  }
  return lines.join("\n");
}

function facetsHere({ frontmatter, title, body }: Spec, names: readonly string[]): ReadonlyMap<string, string> {
  const here = new Map<string, string>();
  if (title !== null) here.set(TITLE, title);
  for (const facet of names) {
    if (!facet.startsWith("field ")) continue;
    const value = frontmatter[facet.slice("field ".length)];
    if (value !== undefined) here.set(facet, JSON.stringify(value));
  }
  for (const { name, text } of specParts(body)) here.set(partFacet(name), text);
  return here;
}

function applyFacets(text: string, taken: ReadonlyMap<string, string | undefined>, content: SpecContent): string {
  const fields: Record<string, FieldValue | undefined> = {};
  const parts = new Map<string, string | undefined>();
  for (const [facet, value] of taken) {
    if (facet.startsWith("field ")) {
      const name = facet.slice("field ".length);
      fields[name] = value === undefined ? undefined : content.fields[name];
    } else if (facet.startsWith("text ")) parts.set(facet.slice("text ".length), value);
  }
  const title = taken.get(TITLE);
  const edited = editFields(text, fields);
  return parts.size === 0 && title === undefined ? edited : editParts(edited, parts, title);
}

function formatFacet(facet: string): string {
  if (facet === TITLE) return facet;
  const name = facet.slice(facet.indexOf(" ") + 1);
  if (facet === fieldFacet(name)) return name;
  return name === "" ? "description" : `section "${name}"`;
}
