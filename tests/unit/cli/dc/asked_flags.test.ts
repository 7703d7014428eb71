import { describe, expect, test } from "bun:test";
import { deriveRequestFlags, LOAD_BASIS_FLAG, MAX_AGE_FLAG } from "#cli/dc/asked_flags.ts";
import { checkArgumentRules } from "#cli/strict_command.ts";
import { FindPlacement, RehearseFailures } from "#gen/datacenter/v1/questions.ts";

const PLACE = deriveRequestFlags(FindPlacement, {
  draw: { field: "draw_w", description: "Draw", least: 0 },
  height: { field: "u_height", description: "Height" },
  port: { field: "ports", description: "Ports" },
  redundancy: { field: "redundancy", description: "Supply" },
  warnings: { field: "allow_existing_warnings", description: "Warnings" },
});
const NOTHING = { draw: undefined, height: undefined, port: [], redundancy: undefined, warnings: false };

describe("askedFlags", () => {
  test("takes type and values of a flag from its field", () => {
    expect(PLACE.flags).toEqual({
      draw: { type: "integer", least: 0, maximum: 2_147_483_647, description: "Draw" },
      height: { type: "string", description: "Height" },
      port: { type: "string", multiple: true, description: "Ports" },
      redundancy: { type: "enum", options: ["none", "n", "n-plus-1", "two-n"], description: "Supply" },
      warnings: { type: "boolean", description: "Warnings" },
    });
  });

  test("sets the fields of the flags that are given", () => {
    const words = { draw: 800, height: "1.5", port: ["2x25G"], redundancy: "n-plus-1", warnings: true };

    expect(PLACE.buildRequest(words)).toEqual({
      draw_w: 800,
      u_height: 1.5,
      ports: [{ count: 2, speed_mbps: 25_000 }],
      redundancy: "REDUNDANCY_N_PLUS_1",
      allow_existing_warnings: true,
    });
    expect(PLACE.buildRequest(NOTHING)).toEqual({ ports: [], allow_existing_warnings: false });
  });

  test("sets a field that a flag clears unless the flag is given", () => {
    const rows = { "no-cascade": { field: "cascade", description: "Trip nothing", clears: true } } as const;
    const { buildRequest: request } = deriveRequestFlags(RehearseFailures, rows);

    expect([request({ "no-cascade": false }), request({ "no-cascade": true })]).toEqual([
      { cascade: true },
      { cascade: false },
    ]);
  });

  test.each([
    [{ port: ["25G"] }, 'Wrong value "25G" for "--port"'],
    [{ port: ["2x"] }, 'Wrong value "2x" for "--port"'],
    [{ port: ["2x99999999G"] }, 'Wrong value "2x99999999G" for "--port"'],
    [{ height: "tall" }, 'Wrong value "tall" for "--height": expected a number'],
  ])("names the flag and the value that it cannot read: %j", (words, message) => {
    expect(() => PLACE.buildRequest({ ...NOTHING, ...words })).toThrow(message);
  });

  test("refuses an age of readings unless loads are the measured ones", () => {
    const { flags, buildRequest: request } = deriveRequestFlags(RehearseFailures, {
      basis: LOAD_BASIS_FLAG,
      "max-age": MAX_AGE_FLAG,
    });
    const age = (words: Readonly<Record<string, unknown>>) => checkArgumentRules(flags, { "max-age": 60, ...words });

    expect(request({ basis: "measured", "max-age": 60 })).toEqual({ load_basis: "LOAD_BASIS_MEASURED", max_age_s: 60 });
    expect(() => age({ basis: "measured" })).not.toThrow();
    for (const basis of [undefined, "measured-peak"]) {
      expect(() => age({ basis })).toThrow('"--max-age 60" needs "--basis measured"');
    }
  });
});
