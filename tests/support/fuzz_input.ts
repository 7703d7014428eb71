import type { SeededRandom } from "./seeded_random.ts";

/** How long all tests with random input run together, in minutes; without it each does a fixed number of rounds. */
const MINUTES = Number(process.env["PLANNER_FUZZ_MINUTES"] ?? 0);
/** Tests among which the minutes are shared. */
const SHARES = 18;
export const FUZZ_SEED = Number(process.env["PLANNER_FUZZ_SEED"] ?? (MINUTES > 0 ? Date.now() % 1_000_000_000 : 1));
/** Limit of a test with random input, in milliseconds. */
export const FUZZ_LIMIT_MS = 120_000 + (MINUTES * 2 * 60_000) / SHARES;

/** The numbers of rounds: `count` of them, or as many as the minutes allow. */
export function* fuzzRounds(count: number): Generator<number> {
  const end = performance.now() + (MINUTES * 60_000) / SHARES;
  for (let round = 0; MINUTES > 0 ? performance.now() < end : round < count; round++) yield round;
}

/** Changes some bytes: flips, cuts, repeats, inserts. */
export function mutate(random: SeededRandom, bytes: Buffer): Buffer {
  let out = Buffer.from(bytes);
  for (let change = random.below(6); change >= 0; change--) {
    const at = random.below(out.length + 1);
    const length = random.below(12);
    const way = random.below(5);
    if (way === 0 && at < out.length) out[at] = random.below(256);
    else if (way === 1) out = Buffer.concat([out.subarray(0, at), out.subarray(at + length)]);
    else if (way === 2) out = Buffer.concat([out.subarray(0, at), out.subarray(at, at + length), out.subarray(at)]);
    else if (way === 3) out = Buffer.concat([out.subarray(0, at), noise(random, length), out.subarray(at)]);
    else out = out.subarray(0, random.below(out.length + 1));
  }
  return out;
}

const noise = (random: SeededRandom, length: number) => Buffer.from(Array.from({ length }, () => random.below(256)));

const WORDS = [
  "code",
  "rack",
  "device",
  "items",
  "filter",
  "page_size",
  "",
  "location",
  "__proto__",
  "constructor",
  "type",
  "updated",
  "after",
  "key",
  "payload",
  "topic",
  "resolved",
  "subject_ref",
  "render",
  "format",
];
const LEAVES = [
  0,
  -1,
  1e308,
  2 ** 53,
  null,
  true,
  "",
  "A01",
  "rack:A01",
  "ü\u0000\ud800",
  "x".repeat(3000),
  "RENDER_FORMAT_SVG",
  [],
  {},
];

/** JSON of any shape, with names that messages have. */
export function anyJson(random: SeededRandom, levels = 5): unknown {
  const kind = random.next();
  if (levels === 0 || kind < 0.35) return random.pick(LEAVES);
  const items = Array.from({ length: random.below(4) }, () => anyJson(random, levels - 1));
  return kind < 0.55 ? items : Object.fromEntries(items.map((item) => [random.pick(WORDS), item]));
}

/** GraphQL of any shape, in the words of the schema. */
export function anyDocument(random: SeededRandom, levels = 4): string {
  const words = [
    "rack",
    "device",
    "searchDevices",
    "devices",
    "code",
    "__typename",
    "__schema",
    "types",
    "name",
    "fields",
    "render",
    "...F",
    "... on Query",
    "a: b",
    'render(subjectRef: "rack:A01")',
    "(code: $v)",
    "@include(if: true)",
    '"""',
    "#",
    "$",
    "1e9",
    'upsertRack(rack: {code: "R"})',
  ];
  const inner = Array.from(
    { length: random.below(4) },
    () => random.pick(words) + (levels > 0 && random.next() < 0.5 ? anyDocument(random, levels - 1) : " "),
  );
  return random.next() < 0.9 ? `{ ${inner.join(" ")} }` : inner.join(" ");
}
