import { randomInt } from "node:crypto";
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import type { SpecSet, SpecStore } from "../ports.ts";
import { buildSpec } from "../spec/build_spec.ts";
import { parseDocument } from "../spec/document.ts";
import type { Spec, UnreadableFile } from "../spec/spec.ts";
import { compareSpecIds, parseSpecId, type SpecId, specIdParts } from "../spec/spec_id.ts";

const SPECS = ".planner/specs";
const ARCHIVE = ".planner/archive";

/** Opens the spec files below `root`. */
export function openSpecStore(root: string): SpecStore {
  const path = (file: string): string => join(root, file);
  const list = (folder: string): Map<SpecId, string> => {
    const found = new Map<SpecId, string>();
    let names: string[] = [];
    try {
      names = readdirSync(path(folder));
    } catch {}
    for (const name of names) {
      if (!name.endsWith(".md")) continue;
      const id = parseSpecId(name.slice(0, -3));
      if (id !== undefined) found.set(id, `${folder}/${name}`);
    }
    return new Map([...found].sort(([a], [b]) => compareSpecIds(a, b)));
  };
  const archive = (): Map<SpecId, string> => {
    const found = list(ARCHIVE);
    let days: string[] = [];
    try {
      days = readdirSync(path(ARCHIVE)).filter((name) => /^\d{4}-\d\d-\d\d$/.test(name));
    } catch {}
    for (const day of days) for (const [id, file] of list(`${ARCHIVE}/${day}`)) found.set(id, file);
    return found;
  };
  const parse = (id: SpecId, file: string, archived: boolean): Spec | UnreadableFile => {
    const document = parseDocument(readFileSync(path(file), "utf8"));
    if (!document.ok) return { file, ...document.problem };
    return buildSpec({ id, file, archived }, document);
  };
  const read = (files: Map<SpecId, string>, archived: boolean): SpecSet => {
    const specs: Spec[] = [];
    const unreadable: UnreadableFile[] = [];
    for (const [id, file] of files) {
      try {
        const found = parse(id, file, archived);
        if ("id" in found) specs.push(found);
        else unreadable.push(found);
      } catch (error) {
        unreadable.push({ file, line: null, column: null, message: (error as Error).message });
      }
    }
    return { specs, unreadable };
  };
  const fileOf = (id: SpecId): { file: string; archived: boolean } => {
    const active = list(SPECS).get(id);
    if (active !== undefined) return { file: active, archived: false };
    const archived = archive().get(id);
    if (archived !== undefined) return { file: archived, archived: true };
    throw new OperationError("not_found", `Spec not found: ${id}`);
  };
  return {
    ids: async () => [...list(SPECS).keys()],
    archivedIds: async () => new Set(archive().keys()),
    active: async () => read(list(SPECS), false),
    archived: async () => read(archive(), true),
    async load(id) {
      const { file, archived } = fileOf(id);
      const found = parse(id, file, archived);
      if ("id" in found) return found;
      throw new OperationError("failed_precondition", `${file}:${found.line}:${found.column}: ${found.message}`);
    },
    async readText(id) {
      const { file } = fileOf(id);
      return { file, text: readFileSync(path(file), "utf8") };
    },
    async modified(id) {
      return statSync(path(fileOf(id).file)).mtime;
    },
    async edit(id, change) {
      const { file, archived } = fileOf(id);
      if (archived)
        throw new OperationError("failed_precondition", `Spec "${id}" is archived: only active specs change`);
      const text = readFileSync(path(file), "utf8");
      const next = change(text);
      if (next === text) return false;
      const temporary = path(`${SPECS}/.${id}.${process.pid}.${randomInt(1e9)}`);
      writeFileSync(temporary, next);
      renameSync(temporary, path(file));
      return true;
    },
    async create(day, build) {
      const counters = [...list(SPECS).keys(), ...archive().keys()]
        .map((id) => specIdParts(id))
        .filter((parts) => parts?.day === day)
        .map((parts) => parts?.counter ?? 0);
      const counter = Math.max(0, ...counters) + 1;
      const suffix = randomInt(36 ** 3)
        .toString(36)
        .padStart(3, "0");
      const id = `${day}-${counter.toString(36).padStart(3, "0")}-${suffix}` as SpecId;
      const temporary = path(`${SPECS}/.${id}.${process.pid}`);
      writeFileSync(temporary, build(id));
      linkSync(temporary, path(`${SPECS}/${id}.md`));
      rmSync(temporary);
      return id;
    },
    async moveToArchive(id) {
      const { file, archived } = fileOf(id);
      if (archived) throw new OperationError("already_exists", `Spec "${id}" is archived already`);
      const day = specIdParts(id)?.day;
      const folder = day === undefined ? ARCHIVE : `${ARCHIVE}/${day}`;
      mkdirSync(path(folder), { recursive: true });
      renameSync(path(file), path(`${folder}/${id}.md`));
      return `${folder}/${id}.md`;
    },
  };
}
