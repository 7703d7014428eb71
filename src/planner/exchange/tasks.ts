import { MAX_SPEC_BYTES } from "../limits.ts";
import { findCycles, formatCycle } from "../lint/cycles.ts";
import { parseCriteria, quoteItem, readCriteria } from "../spec/criteria.ts";
import { parseReadable } from "../spec/document.ts";
import { editFields, type FieldValue } from "../spec/edit/edit_fields.ts";
import { buildExactSpecFile, type NewSpecFile } from "../spec/new_spec.ts";
import { findHeadings, findTitleHeading } from "../spec/sections.ts";
import type { Spec } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { detectLineBreak } from "../spec/text_lines.ts";
import type { SourceNote, SourceReading, SourceTask } from "./source.ts";

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

/**
 * Maximum length of a title, in characters; the body receives the full text of a longer one. The limit is planner's
 * own, because a list shows a title on one line.
 */
const MAX_TITLE_CHARS = 300;

/** Maximum characters of a frontmatter field as JSON. Planner's own limit: a quarter of the longest frontmatter. */
const MAX_FIELD_CHARS = 64 * 1024;

/** Maximum tasks above a task. Planner's own limit: ids grow with each level, and file names are limited. */
const MAX_PARENT_LEVELS = 16;

/** A task whose references are keys of other tasks of the same source, spelled as the source spells them. */
export type CheckedTask = SourceTask & {
  readonly dependsOn: readonly string[];
};

interface CheckedSource {
  /** Sorted so that parents come before their parts. */
  readonly tasks: readonly CheckedTask[];
  readonly notes: readonly SourceNote[];
}

/**
 * Removes tasks that cannot become a spec, and references to missing tasks, each with a note. Pure. Cost: linear in
 * tasks and dependencies.
 */
export function checkTasks({ tasks, notes }: SourceReading): CheckedSource {
  const check = new TaskChecker([...notes]);
  const kept = check.resolveTasks(tasks.map((task) => check.makeWritable(task)).filter((task) => task !== undefined));
  check.reportSlips(kept);
  return { tasks: sortParentsFirst(kept), notes: check.notes };
}

class TaskChecker {
  readonly notes: SourceNote[];
  readonly #byName = new Map<string, SourceTask>();

  constructor(notes: SourceNote[]) {
    this.notes = notes;
  }

  /** Returns the task with text that a file can hold, or undefined if it is too large. */
  makeWritable(task: SourceTask): SourceTask | undefined {
    const size = Buffer.byteLength(task.title) + Buffer.byteLength(task.body);
    if (size > MAX_SPEC_BYTES - MAX_FIELD_CHARS * 4) {
      return this.#addRefusal(task, "too large", `${size} bytes, expected at most ${MAX_SPEC_BYTES}`);
    }
    for (const [name, value] of Object.entries({ ...task, ...task.fields })) {
      if (name === "body" || name === "title" || name === "fields" || value === undefined) continue;
      const length = JSON.stringify(value).length;
      if (length > MAX_FIELD_CHARS) {
        return this.#addRefusal(
          task,
          "too large",
          `${name} has ${length} characters, expected at most ${MAX_FIELD_CHARS}`,
        );
      }
    }
    return this.#shortenTitle(this.#replaceInvalidText(task));
  }

  #replaceInvalidText(task: SourceTask): SourceTask {
    let replaced = 0;
    const plain = <Value>(value: Value): Value => {
      if (typeof value === "string") {
        const text = value.toWellFormed().replaceAll("\0", "\ufffd");
        if (text !== value) replaced++;
        return text as Value;
      }
      if (Array.isArray(value)) return value.map(plain) as Value;
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)])) as Value;
    };
    const result = plain(task);
    if (replaced > 0) this.#addNote(task, "characters that no file can hold", `replaced in ${replaced} fields`);
    return result;
  }

  #shortenTitle(task: SourceTask): SourceTask {
    const title = task.title.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
    if (title.length <= MAX_TITLE_CHARS) return { ...task, title: title === "" ? task.key : title };
    this.#addNote(task, "title longer than a line", `${title.length} characters, the whole title is in the body`);
    return {
      ...task,
      title: `${title.slice(0, MAX_TITLE_CHARS).toWellFormed()}…`,
      body: `${task.title}\n\n${task.body}`,
    };
  }

  resolveTasks(tasks: readonly SourceTask[]): readonly CheckedTask[] {
    const unique = tasks.filter((task) => {
      const name = task.key.toLowerCase();
      const first = this.#byName.get(name);
      if (first === undefined) this.#byName.set(name, task);
      else this.#addRefusal(task, "id used twice", `${task.key} is also in ${formatLocation(first)}`);
      return first === undefined;
    });
    for (const task of unique) {
      for (const alias of task.aliases ?? []) {
        if (!this.#byName.has(alias.toLowerCase())) this.#byName.set(alias.toLowerCase(), task);
      }
    }
    const placed = unique.map((task) => ({ ...task, parent: this.#resolveParent(task) }));
    const parents = removeParentCycles(placed, (task) => this.#addNote(task, "part of itself", task.parent ?? ""));
    const parentOf = new Map(parents.map(({ key, parent }) => [key, parent]));
    return parents.map((task) =>
      this.#detachFromAncestor({ ...task, dependsOn: this.#resolveDependencies(task) }, parentOf),
    );
  }

  #resolveParent(task: SourceTask): string | undefined {
    if (task.parent === undefined) return undefined;
    const parent = this.#byName.get(task.parent.toLowerCase());
    if (parent !== undefined && parent !== task) return parent.key;
    this.#addNote(task, "part of a task that is not there", task.parent);
    return undefined;
  }

  #resolveDependencies(task: SourceTask): readonly string[] {
    const found = new Set<string>();
    for (const name of task.dependsOn ?? []) {
      const other = this.#byName.get(name.toLowerCase());
      if (other === undefined) this.#addNote(task, "dependency on a task that is not there", name);
      else if (other.key === task.key) this.#addNote(task, "dependency on itself", name);
      else found.add(other.key);
    }
    return [...found];
  }

  /** Removes the parent of a task that depends on an ancestor: a spec waits for its members, so neither could start. */
  #detachFromAncestor(task: CheckedTask, parentOf: ReadonlyMap<string, string | undefined>): CheckedTask {
    if (task.parent === undefined || task.dependsOn.length === 0) return task;
    const above = listAncestors(task, parentOf);
    if (!task.dependsOn.some((key) => above.has(key))) return task;
    this.#addNote(task, "part of the task that it depends on", task.parent);
    return { ...task, parent: undefined };
  }

  /** Reports cyclic dependencies and items that are not read as criteria, but keeps them: a person has to decide. */
  reportSlips(tasks: readonly CheckedTask[]): void {
    const byId = new Map(tasks.map(({ key, dependsOn }) => [key, dependsOn]));
    const cycles = findCycles(byId);
    for (const task of tasks) {
      const near = readCriteria(task.body).near[0];
      if (near !== undefined) this.#addNote(task, "not read as a criterion", `${quoteItem(near.text)}: ${near.advice}`);
      const [circle] = cycles.get(task.key) ?? [];
      if (circle !== undefined) this.#addNote(task, "dependencies in a circle", formatCycle(circle));
    }
  }

  #addRefusal(task: SourceTask, reason: string, detail: string): undefined {
    this.notes.push({ file: task.file, line: task.line, reason, detail, refused: true });
  }

  #addNote(task: SourceTask, reason: string, detail: string): void {
    this.notes.push({ file: task.file, line: task.line, reason, detail });
  }
}

function listAncestors(task: SourceTask, parents: ReadonlyMap<string, string | undefined>): ReadonlySet<string> {
  const above = new Set<string>();
  for (let at = task.parent; at !== undefined && !above.has(at); at = parents.get(at)) above.add(at);
  return above;
}

/** Removes the parent of each task that would be part of itself or deeper than the limit. */
function removeParentCycles(tasks: readonly SourceTask[], report: (task: SourceTask) => void): readonly SourceTask[] {
  const parents = new Map(tasks.map(({ key, parent }) => [key, parent]));
  return tasks.map((task) => {
    const above = listAncestors(task, parents);
    if (!above.has(task.key) && above.size <= MAX_PARENT_LEVELS) return task;
    report(task);
    parents.set(task.key, undefined);
    return { ...task, parent: undefined };
  });
}

function sortParentsFirst(tasks: readonly CheckedTask[]): readonly CheckedTask[] {
  const children = new Map<string | undefined, CheckedTask[]>();
  for (const task of tasks) {
    const siblings = children.get(task.parent);
    if (siblings === undefined) children.set(task.parent, [task]);
    else siblings.push(task);
  }
  const ordered = [...(children.get(undefined) ?? [])];
  for (const task of ordered) ordered.push(...(children.get(task.key) ?? []));
  return ordered;
}

function formatLocation({ file, line }: SourceTask): string {
  return line === null ? file : `${file}:${line}`;
}

/** A part of a body: the text before its first heading (name ""), or a heading of level 1 or 2 with its text. */
interface BodyPart {
  /** The heading's text in lower case, with a number appended if an earlier part has the same heading. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** The trimmed text, with LF line breaks. */
  readonly text: string;
}

/** Splits a body into its parts, from the offset after the title. */
function splitBody(body: string, from: number): readonly BodyPart[] {
  const starts = findHeadings(body).filter(({ level, start }) => level <= 2 && start >= from);
  const seen = new Map<string, number>();
  const parts: BodyPart[] = [];
  const addBodyPart = (heading: string, start: number, end: number): void => {
    const count = (seen.get(heading) ?? 0) + 1;
    seen.set(heading, count);
    const text = body.slice(start, end).replaceAll(/\r\n?/g, "\n").trim();
    parts.push({ name: count === 1 ? heading : `${heading} (${count})`, start, end, text });
  };
  const first = starts[0]?.start ?? body.length;
  if (body.slice(from, first).trim() !== "") addBodyPart("", from, first);
  for (const [index, { text, start }] of starts.entries()) {
    addBodyPart(text.toLowerCase(), start, starts[index + 1]?.start ?? body.length);
  }
  return parts;
}

/** Splits the body of a spec file, without its title, into parts. */
function splitSpecBody(body: string): readonly BodyPart[] {
  return splitBody(body, findTitleHeading(body)?.next ?? 0);
}

/** New texts of parts by name; undefined removes a part. A new part is inserted before the output. */
type PartChanges = ReadonlyMap<string, string | undefined>;

/** Replaces parts and the title of a spec file; every other line stays unchanged. */
function editBodyParts(text: string, parts: PartChanges, title: string | undefined): string {
  const { body } = parseReadable(text);
  const lineBreak = detectLineBreak(text);
  const writer = new PartWriter(lineBreak);
  const heading = findTitleHeading(body);
  const from = heading?.next ?? 0;
  if (title === undefined || heading === undefined) writer.copyText(body.slice(0, from));
  else writer.copyText(`${body.slice(0, heading.start)}# ${title}${lineBreak}`);
  const here = splitSpecBody(body);
  const isNew = (name: string): boolean => !here.some((known) => known.name === name);
  const added = [...parts].flatMap(([name, part]) => (part !== undefined && isNew(name) ? [part] : []));
  let at = from;
  for (const { name, start, end } of here) {
    writer.copyText(body.slice(at, start));
    if (name === "output") for (const part of added.splice(0)) writer.addPart(part);
    const part = parts.get(name);
    if (!parts.has(name)) writer.copyText(body.slice(start, end));
    else if (part !== undefined) writer.addPart(part);
    at = end;
  }
  writer.copyText(body.slice(at));
  for (const part of added) writer.addPart(part);
  return text.slice(0, text.length - body.length) + writer.text.replace(/(?:\r\n|\n|\r)+$/, lineBreak);
}

class PartWriter {
  readonly #lineBreak: string;
  text = "";

  constructor(lineBreak: string) {
    this.#lineBreak = lineBreak;
  }

  copyText(text: string): void {
    this.text += text;
  }

  /** Adds a part, with a blank line before and after it. */
  addPart(part: string): void {
    const br = this.#lineBreak;
    if (this.text !== "" && !this.text.endsWith(br)) this.text += br;
    if (this.text !== "" && !this.text.endsWith(br + br)) this.text += br;
    this.text += part.replaceAll("\n", br) + br + br;
  }
}
