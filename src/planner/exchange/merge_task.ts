import { parseCriteria } from "../spec/criteria.ts";
import { editFields, type FieldValue } from "../spec/edit/edit_fields.ts";
import { buildExactSpecFile, type NewSpecFile } from "../spec/new_spec.ts";
import type { Spec } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { type CheckedTask, editBodyParts, splitBody, splitSpecBody } from "./check_tasks.ts";

/** Fingerprints of the source's facets at the last import, by facet. */
export type FacetFingerprints = Readonly<Record<string, string>>;

export interface MergeResult {
  /** Names of the facets that take the source's text. */
  readonly changed: readonly string[];
  /** Names of the facets that both a person and the source have changed. */
  readonly conflicts: readonly string[];
  /** Fingerprints with which the next import compares. */
  readonly nextFingerprints: FacetFingerprints;
  /** Applies the changes to the spec's text. */
  readonly applyChanges: (text: string) => string;
}

interface MergeInput {
  readonly spec: Spec;
  readonly content: SpecContent;
  /** Undefined if there is no record of the last import. */
  readonly lastFingerprints: FacetFingerprints | undefined;
  readonly computeFingerprint: (text: string) => string;
  /** True to take the source's text if both sides changed. */
  readonly overwrite: boolean;
}

/**
 * Compares a spec with its source's current text and with the source's fingerprints of the last import. A facet is the
 * title, a field or a part of the body. It takes the source's text unless it was changed in the spec. A facet that
 * changed on both sides stays and is a conflict. Pure.
 */
export function mergeTask({
  spec,
  content,
  lastFingerprints = {},
  computeFingerprint,
  overwrite,
}: MergeInput): MergeResult {
  const source = listFacets(content);
  const names = new Set([...source.keys(), ...Object.keys(lastFingerprints)]);
  const here = readSpecFacets(spec, [...names]);
  const next: Record<string, string> = {};
  const taken = new Map<string, string | undefined>();
  const conflicts: string[] = [];
  for (const name of names) {
    const facet = { name, wanted: source.get(name), own: here.get(name), before: lastFingerprints[name] };
    const decision = decideFacet(facet, computeFingerprint, overwrite);
    const said = decision === "conflict" ? facet.before : fingerprintText(facet.wanted, computeFingerprint);
    if (said !== undefined) next[name] = said;
    if (decision === "conflict") conflicts.push(formatFacet(name));
    else if (decision !== "stay") taken.set(name, decision.take);
  }
  const changed = [...taken.keys()].map(formatFacet);
  return { changed, conflicts, nextFingerprints: next, applyChanges: (text) => applyTakenFacets(text, taken, content) };
}

type ComputeFingerprint = MergeInput["computeFingerprint"];

/** Texts of a facet in the source and in the spec, and the fingerprint of the source's text at the last import. */
interface Facet {
  readonly name: string;
  readonly wanted: string | undefined;
  readonly own: string | undefined;
  readonly before: string | undefined;
}

type FacetDecision = "stay" | "conflict" | { readonly take: string | undefined };

function decideFacet(facet: Facet, fingerprint: ComputeFingerprint, overwrite: boolean): FacetDecision {
  const { wanted, own, before } = facet;
  if (wanted === own || fingerprintText(wanted, fingerprint) === before) return "stay";
  if (overwrite || fingerprintText(own, fingerprint) === before) return { take: wanted };
  const merged = mergeCheckmarks(facet, fingerprint);
  return merged === undefined ? "conflict" : { take: merged };
}

function fingerprintText(text: string | undefined, fingerprint: ComputeFingerprint): string | undefined {
  return text === undefined ? undefined : fingerprint(text);
}

/** Returns the source's criteria with the spec's checkmarks, or undefined if the spec changed more than checkmarks. */
function mergeCheckmarks({ name, wanted, own, before }: Facet, fingerprint: ComputeFingerprint): string | undefined {
  if (wanted === undefined || own === undefined || before === undefined || !name.startsWith("text ")) return undefined;
  if (fingerprint(own.replaceAll(/\[[xX]\]/g, "[ ]")) !== before) return undefined;
  const ticked = new Set(parseCriteria(own).flatMap(({ checked, label }) => (checked ? [label] : [])));
  const lines = wanted.split("\n");
  for (const { line, checked, label } of parseCriteria(wanted)) {
    if (!checked && ticked.has(label)) lines[line - 1] = (lines[line - 1] ?? "").replace("[ ]", "[x]");
  }
  return lines.join("\n");
}

function readSpecFacets({ frontmatter, title, body }: Spec, names: readonly string[]): ReadonlyMap<string, string> {
  const here = new Map<string, string>();
  if (title !== null) here.set(TITLE_FACET, title);
  for (const facet of names) {
    if (!facet.startsWith("field ")) continue;
    const value = frontmatter[facet.slice("field ".length)];
    if (value !== undefined) here.set(facet, JSON.stringify(value));
  }
  for (const { name, text } of splitSpecBody(body)) here.set(buildPartFacetName(name), text);
  return here;
}

function applyTakenFacets(text: string, taken: ReadonlyMap<string, string | undefined>, content: SpecContent): string {
  const fields: Record<string, FieldValue | undefined> = {};
  const parts = new Map<string, string | undefined>();
  for (const [facet, value] of taken) {
    if (facet.startsWith("field ")) {
      const name = facet.slice("field ".length);
      fields[name] = value === undefined ? undefined : content.fields[name];
    } else if (facet.startsWith("text ")) parts.set(facet.slice("text ".length), value);
  }
  const title = taken.get(TITLE_FACET);
  const edited = editFields(text, fields);
  return parts.size === 0 && title === undefined ? edited : editBodyParts(edited, parts, title);
}

function formatFacet(facet: string): string {
  if (facet === TITLE_FACET) return facet;
  const name = facet.slice(facet.indexOf(" ") + 1);
  if (facet === buildFieldFacetName(name)) return name;
  return name === "" ? "description" : `section "${name}"`;
}

/** Content of a spec file without the fields `id` and `origin`. */
export type SpecContent = Omit<NewSpecFile, "id">;

interface SpecContentOptions {
  readonly findSpecId: (key: string) => SpecId | undefined;
  readonly hasParts: boolean;
}

/** Builds the frontmatter and text of the spec for a task. */
export function buildSpecContent(task: CheckedTask, { findSpecId, hasParts }: SpecContentOptions): SpecContent {
  const [assignee] = task.assignees ?? [];
  const dependsOn = task.dependsOn.map(findSpecId).filter((id) => id !== undefined);
  const isExplicit = task.parent !== undefined && task.isOrdered !== true;
  const fields: Readonly<Record<string, FieldValue | undefined>> = {
    status: task.status,
    type: task.type ?? "code",
    // An empty list means that the spec does not wait for earlier parts of its parent.
    depends_on: dependsOn.length > 0 || isExplicit ? dependsOn : undefined,
    labels: omitEmptyList(task.labels),
    target_files: omitEmptyList(task.targetFiles),
    priority: task.priority,
    assignee,
    assignees: (task.assignees?.length ?? 0) > 1 ? task.assignees : undefined,
    due: task.due,
    completed_at: task.completedAt,
    approval: task.isDraft === true ? { required: true, status: "pending" } : undefined,
    origin_status: task.originStatus,
    ...task.fields,
  };
  const kept = Object.entries(fields).filter((entry): entry is [string, FieldValue] => entry[1] !== undefined);
  // An epic without parts becomes an ordinary task; a task that was a spec keeps its type.
  const type = task.type === "driver" && !hasParts && task.specId === undefined ? { type: "code" } : {};
  return { title: task.title, body: task.body.trim(), fields: { ...Object.fromEntries(kept), ...type } };
}

function omitEmptyList(list: readonly string[] | undefined): readonly string[] | undefined {
  const unique = [...new Set(list)];
  return unique.length === 0 ? undefined : unique;
}

/** Builds the text of a new spec file; `origin` is the field's value that names the source and the task in it. */
export function formatNewSpec(id: SpecId, { title, body, fields }: SpecContent, origin: FieldValue): string {
  return buildExactSpecFile({ id, title, body, fields: { ...fields, origin } });
}

/** Key under which an import compares the title of a spec. */
const TITLE_FACET = "title";

/** Returns the parts of a task that an import compares, by name: fields as JSON, title, and parts of the body. */
export function listFacets({ title, body, fields }: SpecContent): Map<string, string> {
  const facets = new Map<string, string>([[TITLE_FACET, title]]);
  for (const [name, value] of Object.entries(fields)) facets.set(buildFieldFacetName(name), JSON.stringify(value));
  for (const { name, text } of splitBody(body, 0)) facets.set(buildPartFacetName(name), text);
  return facets;
}

function buildFieldFacetName(name: string): string {
  return `field ${name}`;
}

function buildPartFacetName(name: string): string {
  return `text ${name}`;
}
