import { expect, test } from "bun:test";
import { join, relative } from "node:path";
import { importCircles, importTarget, sourcesOf } from "./support/source_size.ts";
import { stronglyConnected } from "./support/strongly_connected.ts";

const ROOT = join(import.meta.dirname, "..");
const SRC = join(ROOT, "src");

interface Module {
  /** Folder below `src`, or one file. */
  readonly place: string;
  /** Modules that it may import beside itself. */
  readonly may: readonly string[];
  /** Modules from which it imports types alone. */
  readonly types?: readonly string[];
  /** A pure module knows no engine and no operating system: its functions give the same answer everywhere. */
  readonly pure: boolean;
  readonly because: string;
}

const DOMAIN = ["planner/spec", "planner/config", "planner/lint", "planner/output", "planner/work"] as const;
const CONTEXT = ["planner/limits.ts", "planner/context.ts"] as const;
const DC_DOMAIN = ["dc/model", "dc/analysis", "dc/render"] as const;
const GEN = "gen/datacenter/v1";
const GENERATED = [`${GEN}/enums.ts`, `${GEN}/models.ts`, `${GEN}/messages.ts`, `${GEN}/bounds.ts`] as const;
const ANSWERS = GENERATED.slice(2);
const DC_PORTS = ["dc/ports.ts", "dc/limits.ts", "dc/context.ts"] as const;
const IMPORT_WIRE = "dc/operations/import/wire.ts";
const DC_INTERFACE = ["kernel", "gen", "dc", "dc/model", "dc/operations", IMPORT_WIRE, ...DC_PORTS];

/** Longest place first: a file belongs to the first module that holds it. */
const MODULES: readonly Module[] = [
  { place: "kernel", may: [], pure: true, because: "both domains stand on it, so it knows neither" },
  { place: "kernel/judge_share.ts", may: [], pure: true, because: "pages and pictures judge shares by it" },
  {
    place: "words",
    may: [],
    pure: true,
    because:
      "pages, pictures, replies and the command line write figures, counts and codes alike, so it knows none of them",
  },
  { place: "gen", may: ["kernel/descriptors.ts"], pure: true, because: "it is generated and never edited" },
  {
    place: "planner/spec",
    may: ["kernel", "planner/limits.ts"],
    pure: true,
    because: "a spec's meaning needs no disk",
  },
  {
    place: "planner/config",
    may: ["kernel", "planner/spec", "planner/limits.ts"],
    pure: true,
    because: "settings are text that is parsed",
  },
  {
    place: "planner/lint",
    may: ["kernel", "words", "planner/spec", "planner/config", "planner/output", "planner/work", "planner/limits.ts"],
    types: ["planner/context.ts"],
    pure: true,
    because: "rules judge a prepared world",
  },
  {
    place: "planner/output",
    may: ["kernel", "words", "planner/spec", "planner/config", "planner/work", "planner/limits.ts"],
    pure: true,
    because: "whether an output fits its schema depends on these two alone",
  },
  {
    place: "planner/output/checker",
    may: ["kernel", "runtime", "planner/output", "planner/work", "planner/limits.ts"],
    pure: false,
    because: "a user's pattern can hang, so it runs in a process that can be killed",
  },
  {
    place: "planner/exchange",
    may: ["kernel", "planner/spec", "planner/lint", "planner/limits.ts"],
    pure: true,
    because: "what another tool's files mean here depends on the files alone",
  },
  {
    place: "planner/work",
    may: ["kernel", "words", "planner/limits.ts", "planner/spec", "planner/config"],
    pure: true,
    because: "decisions about work are tested without processes; what they need to read is declared here",
  },
  {
    place: "planner/store",
    may: ["kernel", "words", "planner/limits.ts", ...DOMAIN],
    pure: false,
    because: "the disk serves the domain and knows no operation",
  },
  {
    place: "planner/operations",
    may: ["kernel", "words", ...CONTEXT, ...DOMAIN],
    types: ["planner/store"],
    pure: true,
    because: "an operation reaches the disk through its context only, whose members are the store's",
  },
  {
    place: "planner/runs",
    may: ["kernel", "words", ...CONTEXT, ...DOMAIN, "planner/operations"],
    types: ["planner/store"],
    pure: true,
    because: "the course of a run is told in decisions; processes, git and files are the store's, which it is given",
  },
  {
    place: "planner/board",
    may: ["kernel", "words", ...CONTEXT, ...DOMAIN, "planner/operations", "planner", "planner/board/wire.ts"],
    types: ["planner/store"],
    pure: true,
    because: "what a board shows follows from what operations and the store answer",
  },
  { place: "planner/board/wire.ts", may: [], pure: true, because: "the board's page and server share it" },
  {
    place: "planner",
    may: ["kernel", ...DOMAIN, "planner/operations"],
    types: ["planner/store"],
    pure: true,
    because: "the service, and the context whose members are the store's",
  },
  { place: GENERATED[0], may: [], pure: true, because: "the model's enumerations are the proto's" },
  { place: GENERATED[1], may: [GENERATED[0]], pure: true, because: "the model's resources have the proto's fields" },
  { place: GENERATED[2], may: [GENERATED[0], GENERATED[1]], pure: true, because: "answers have the proto's fields" },
  { place: GENERATED[3], may: [], pure: true, because: "bounds are the proto's, and are checked without descriptors" },
  { place: "dc/model", may: ["kernel", "dc/limits.ts", ...GENERATED], pure: true, because: "rules need no database" },
  {
    place: "dc/exchange",
    may: ["kernel", "words", "dc/model", "dc/limits.ts", GENERATED[3]],
    pure: true,
    because: "what a source's rows mean here depends on the rows alone, whose figures it reads as pages do",
  },
  {
    place: "dc/analysis",
    may: ["kernel", "words", "dc/model", "dc/limits.ts", GENERATED[2]],
    pure: true,
    because: "answers are computed",
  },
  {
    place: "dc/render",
    may: ["kernel", "words", "gen", "dc/model", "dc/analysis", "dc/limits.ts", "kernel/judge_share.ts"],
    pure: true,
    because: "it draws the proto's answers and knows nothing of where they come from",
  },
  {
    place: "dc/store",
    may: ["kernel", ...DC_PORTS, ...DC_DOMAIN, "dc/audit"],
    pure: false,
    because: "the database serves the domain and knows no RPC",
  },
  { place: "dc/audit", may: ["kernel", ...DC_PORTS, ...DC_DOMAIN], pure: false, because: "hashing needs node:crypto" },
  {
    place: "dc/operations",
    may: ["kernel", "words", "gen", ...ANSWERS, ...DC_PORTS, ...DC_DOMAIN, "dc/audit", "dc/exchange", IMPORT_WIRE],
    pure: false,
    because: "an RPC reaches the database through its port only",
  },
  { place: IMPORT_WIRE, may: [], pure: true, because: "the console and the service share it" },
  { place: "dc/sample", may: [], pure: true, because: "a sample is made of nothing but its size" },
  {
    place: "dc",
    may: ["kernel", "gen", ...ANSWERS, ...DC_DOMAIN, "dc/operations", "dc/audit"],
    pure: false,
    because: "the service and its types",
  },
  {
    place: "interfaces/mcp",
    may: ["kernel", "planner", "planner/operations"],
    pure: false,
    because: "an interface translates; it never reaches around the service",
  },
  {
    place: "interfaces/connect",
    may: DC_INTERFACE,
    pure: false,
    because: "an interface translates; it reaches the datacenter through its service only",
  },
  {
    place: "interfaces/graphql",
    may: [...DC_INTERFACE, "interfaces/connect"],
    pure: false,
    because: "an interface translates; it refuses a request of HTTP as the RPCs do",
  },
  {
    place: "interfaces/dc_mcp",
    may: [...DC_INTERFACE, "interfaces/mcp"],
    pure: false,
    because: "an interface translates; it reaches the datacenter through its service only, or a server that has one",
  },
  {
    place: "interfaces/http",
    may: [...DC_INTERFACE, "interfaces/connect", "interfaces/graphql", "interfaces/dc_mcp"],
    pure: false,
    because: "it joins what one port answers and finds the principal",
  },
  {
    place: "interfaces/board",
    may: [
      "kernel",
      "planner",
      "planner/board",
      "planner/board/wire.ts",
      "planner/operations",
      "interfaces/http/pages.ts",
    ],
    pure: false,
    because: "an interface translates; pages are served with one policy",
  },
  {
    place: "web",
    may: ["gen", "words", "kernel/judge_share.ts", "dc/limits.ts", "planner/board/wire.ts", IMPORT_WIRE],
    pure: true,
    because:
      "it runs in a browser and talks to the server over the wire only, whose messages `gen` and the wire files describe; it writes figures and judges shares as pictures do",
  },
  { place: "runtime", may: ["kernel"], pure: false, because: "the only place that knows an engine" },
  {
    place: "cli",
    may: ["*"],
    pure: false,
    because: "the place where all parts meet",
  },
  { place: "main.ts", may: ["cli"], pure: false, because: "it only starts the command line" },
];

const ENGINE = /\b(?:Bun|Deno)\s*[.[]|from "bun(?::[a-z]+)?"|import\("bun/;
const TYPE_IMPORT = /^import type [^;]*;$/gm;
const IMPORT = /(?:\bfrom\s+|\bimport\s*\(\s*|^import\s+)"([^"]+)"/gm;

function moduleOf(path: string): Module {
  const inside = relative(SRC, path);
  const found = MODULES.filter(({ place }) => inside === place || inside.startsWith(`${place}/`)).toSorted(
    (a, b) => b.place.length - a.place.length,
  )[0];
  if (found === undefined)
    throw new Error(`src/${inside} belongs to no module: give it one in tests/architecture.test.ts`);
  return found;
}

function allows(module: Module, path: string, isType: boolean): boolean {
  if (module.may.includes("*")) return true;
  const may = isType ? [...module.may, ...(module.types ?? [])] : module.may;
  const inside = relative(SRC, path);
  const other = moduleOf(path);
  return other === module || may.includes(inside) || may.includes(other.place);
}

const sources = sourcesOf(SRC);

test("every import goes where its module may go", () => {
  const broken: string[] = [];
  for (const { path, text } of sources) {
    const module = moduleOf(path);
    const values = new Set([...text.replace(TYPE_IMPORT, "").matchAll(IMPORT)].map(([, specifier]) => specifier));
    for (const [, specifier = ""] of text.matchAll(IMPORT)) {
      const to = importTarget(path, specifier);
      if (to !== undefined && !allows(module, to, !values.has(specifier))) {
        broken.push(`${relative(ROOT, path)} imports ${specifier}: ${module.place} may not, because ${module.because}`);
      }
    }
  }

  expect(broken).toEqual([]);
});

test("imports have no circles", () => {
  expect(importCircles(sources)).toEqual([]);
});

test("stronglyConnected finds a circle, and no chain", () => {
  const graph = { a: ["b"], b: ["c"], c: ["b", "d"], d: [], e: ["a"] };

  expect(stronglyConnected(new Map(Object.entries(graph)))).toEqual([["c", "b"]]);
});

/** `hash` alone of node:crypto: it computes the same of the same, and asks the system for nothing. */
const PURE_HASH = 'import { hash } from "node:crypto";';

test("pure modules import nothing of the operating system", () => {
  const broken = sources
    .filter(({ path }) => moduleOf(path).pure)
    .flatMap(({ path, text }) =>
      [...text.replace(PURE_HASH, "").matchAll(IMPORT)]
        .filter(([, specifier = ""]) => specifier.startsWith("node:"))
        .map(([, specifier]) => `${relative(ROOT, path)} imports ${specifier}: ${moduleOf(path).because}`),
    );

  expect(broken).toEqual([]);
});

test("only the runtime module knows an engine", () => {
  const broken = sources
    .filter(({ path, text }) => moduleOf(path).place !== "runtime" && ENGINE.test(text))
    .map(({ path }) => relative(ROOT, path));

  expect(broken).toEqual([]);
});

test("a crossing between modules shows as a # import", () => {
  const broken = sources.flatMap(({ path, text }) =>
    [...text.matchAll(IMPORT)]
      .filter(([, specifier = ""]) => specifier.startsWith("."))
      .filter(([, specifier = ""]) => {
        const to = importTarget(path, specifier) ?? path;
        return (
          relative(SRC, to).split("/")[0] !== relative(SRC, path).split("/")[0] && relative(SRC, path) !== "main.ts"
        );
      })
      .map(([, specifier]) => `${relative(ROOT, path)} imports ${specifier}`),
  );

  expect(broken).toEqual([]);
});

test("tests of the command import nothing of the source", () => {
  const broken = sourcesOf(join(ROOT, "tests", "e2e"))
    .filter(({ text }) => /from "(?:#|(?:\.\.\/)+src\/)/.test(text))
    .map(({ path }) => relative(ROOT, path));

  expect(broken).toEqual([]);
});
