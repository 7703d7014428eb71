import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { emptyFolder } from "../support/dc_server.ts";
import { anyJson, FUZZ_LIMIT_MS, FUZZ_SEED, fuzzRounds, mutate } from "../support/fuzz_input.ts";
import { runPlanner } from "../support/planner_command.ts";
import { SeededRandom } from "../support/seeded_random.ts";

/** Files of each kind in the gate: a process reads each. */
const ROUNDS = 2;
const cwd = emptyFolder();

interface Kind {
  readonly file: string;
  readonly text: (random: SeededRandom) => string;
  /** The command that reads the file. */
  readonly words: readonly string[];
}

const DEVICE_TYPE = `manufacturer: Dell
model: PowerEdge R640
slug: dell-r640
u_height: 1
power-ports:
  - { name: PSU1, type: iec-60320-c14, maximum_draw: 750 }
interfaces:
  - name: &n eth0
    type: 10gbase-x-sfpp
`;
const TOPOLOGY = `name: lab
topology:
  nodes:
    leaf1: { kind: nokia_srlinux, type: ixrd2 }
    leaf2: { kind: nokia_srlinux }
  links:
    - endpoints: ["leaf1:e1-1", "leaf2:e1-1"]
`;

const KINDS: Readonly<Record<string, Kind>> = {
  "JSON Lines": {
    file: "in.jsonl",
    text: (random) => `${JSON.stringify({ rack: anyJson(random, 3) })}\n{"device": {"code": "D1"}}\n`,
    words: ["import", "in.jsonl"],
  },
  JSON: {
    file: "in.json",
    text: (random) => JSON.stringify({ racks: [anyJson(random, 3)], devices: [{ code: "D1" }, anyJson(random, 2)] }),
    words: ["import", "in.json"],
  },
  CSV: {
    file: "in.csv",
    text: () => 'code,name,"location.site_id"\nA01,"a ""b""",S1\n',
    words: ["import", "in.csv", "--kind", "rack"],
  },
  "NetBox lists": {
    file: join("netbox", "devices.json"),
    text: (random) =>
      JSON.stringify({ count: 2, results: [{ id: 1, name: "srv", site: anyJson(random, 2) }, anyJson(random, 3)] }),
    words: ["import", "--from", "netbox", "netbox"],
  },
  "containerlab topologies": {
    file: "lab.clab.yml",
    text: () => TOPOLOGY,
    words: ["import", "--from", "containerlab", "lab.clab.yml"],
  },
  "device types in YAML": { file: "type.yaml", text: () => DEVICE_TYPE, words: ["types", "import", "type.yaml"] },
};

mkdirSync(join(cwd, "netbox"));
writeFileSync(join(cwd, "netbox", "sites.json"), '{"count":1,"results":[{"id":1,"name":"S1","slug":"s1"}]}');

for (const [name, { file, text, words }] of Object.entries(KINDS)) {
  test(
    `Random import files end with a status of ours and no defect: ${name}`,
    async () => {
      const random = new SeededRandom(FUZZ_SEED);
      for (const round of fuzzRounds(ROUNDS)) {
        writeFileSync(join(cwd, file), mutate(random, Buffer.from(text(random))));

        const { code, stderr } = await runPlanner(["dc", ...words, "--db", "import.sqlite"], { cwd });

        const found = {
          seed: FUZZ_SEED,
          round,
          isOurs: [0, 1, 2].includes(code ?? -1),
          trace: /\n\s+at .*/.exec(stderr),
        };
        expect(found).toEqual({ seed: FUZZ_SEED, round, isOurs: true, trace: null });
      }
    },
    FUZZ_LIMIT_MS,
  );
}
