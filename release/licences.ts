import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const TEXTS = join(import.meta.dirname, "licences");
const LINE = `\n${"-".repeat(80)}\n`;

/** Who holds the copyright of a package whose archive on npm carries no licence: from the file in its repository. */
const HOLDERS: Readonly<Record<string, string>> = {
  "@bufbuild/protobuf": "Copyright 2021-2026 Buf Technologies, Inc.; Copyright 2008 Google Inc.",
  "@connectrpc/connect": "Copyright 2021-2026 The Connect Authors",
  "@connectrpc/connect-node": "Copyright 2021-2026 The Connect Authors",
  "@graphiql/plugin-doc-explorer": "Copyright GraphQL Contributors",
  "@graphiql/plugin-history": "Copyright GraphQL Contributors",
  "@resvg/resvg-wasm": "Copyright the resvg-js authors; source: https://github.com/thx/resvg-js",
  postgres: "",
  "react-compiler-runtime": "Copyright (c) Meta Platforms, Inc. and affiliates.",
  "react-remove-scroll-bar": "Copyright (c) Anton Korzunov",
  "toggle-selection": "Copyright (c) sudodoki",
};

/** A package inside the executable. `text` is null if its licence is not known. */
export interface Licence {
  readonly name: string;
  readonly version: string;
  readonly declared: string;
  readonly text: string | null;
}

/** Every package of the lock file that can be in the executable, sorted by name, and Bun last. Reads `node_modules`. */
export function readLicences(): readonly Licence[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Readonly<Record<string, { dev?: boolean; optional?: boolean; version?: string }>>;
  };
  const found = Object.entries(packages)
    .filter(([path, { dev, optional }]) => path !== "" && dev !== true && optional !== true)
    .map(([path, { version = "" }]) => readLicence(path, version))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const bun = packages["node_modules/bun"]?.version ?? "";
  const linked = ["bun", "LGPL-2.0", "LGPL-2.1", "MIT", "Apache-2.0", "BSD-3-Clause"].map(standardText).join("\n");
  return [...found, { name: "bun", version: bun, declared: "MIT AND LGPL-2.0", text: linked }];
}

/** The licences as one text; packages that share a text are named above it together. */
export function licenceTexts(): string {
  const byText = Map.groupBy(readLicences(), ({ text, name }) => text ?? `No licence is known for ${name}`);
  const parts = [...byText].map(([text, packages]) => {
    const names = packages.map(({ name, version, declared }) => `${name} ${version} (${declared})`);
    return `${names.join("\n")}\n\n${text.trim()}\n`;
  });
  return ["planner is MIT-licensed (see LICENSE) and contains the following.\n", ...parts].join(LINE);
}

function readLicence(path: string, version: string): Licence {
  const folder = join(ROOT, path);
  const name = path.replace(/^.*node_modules\//, "");
  if (!existsSync(folder)) return { name, version, declared: "not installed", text: null };
  const declared: string = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).license ?? "see below";
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.toSorted().map((file) => readFileSync(join(folder, file), "utf8").trim());
  return { name, version, declared, text: texts.length > 0 ? texts.join("\n\n") : standardLicence(name, declared) };
}

function standardLicence(name: string, declared: string): string | null {
  const holder = HOLDERS[name];
  const ids = declared.replace(/[()]/g, "").split(" AND ");
  if (holder === undefined || ids.some((id) => !existsSync(join(TEXTS, `${id}.txt`)))) return null;
  return [holder, ...ids.map(standardText)].filter((part) => part !== "").join("\n\n");
}

function standardText(id: string): string {
  return readFileSync(join(TEXTS, `${id}.txt`), "utf8");
}
