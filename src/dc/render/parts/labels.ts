import { isDrawUnknown } from "#dc/model/draw.ts";
import { watts } from "#words/figures.ts";

/** The word of an enumeration's number: the proto numbers its values from 1; undefined for 0 and unknown numbers. */
export function wordAt<Word extends string>(words: readonly Word[], number: number): Word | undefined {
  return words[number - 1];
}

export function drawOf(devices: number, sumW: number): string {
  return isDrawUnknown(devices, sumW) ? "draw not recorded" : watts(sumW);
}

/** Joins code and name on one line; omits a name that equals the code. */
export function titled(code: string, name: string): string {
  return name === "" || name === code ? code : `${code} · ${name}`;
}

/** Heading of a rack: code and name, or the name alone if it contains the code. */
export function rackTitle(code: string, name: string): string {
  const words = name.toLowerCase().split(/[^\p{L}\p{N}._-]+/u);
  return words.includes(code.toLowerCase()) ? name : `Rack ${titled(code, name)}`;
}
