import { readFile, stat } from "node:fs/promises";
import type { JSONWebKeySet } from "jose";
import { OperationError } from "#kernel/errors.ts";

/** How long a look at the file holds, in milliseconds: a key that is taken away works no longer than that. */
const LOOK_EVERY_MS = 1000;

/** A file of public keys that is followed. */
export interface JwksFile {
  current(): JSONWebKeySet;
  /** The keys when the file holds others than at the last call. @throws OperationError when it cannot be read */
  changed(): Promise<JSONWebKeySet | undefined>;
}

/** Opens a JSON Web Key Set. @throws OperationError when it cannot be read or holds a secret key */
export async function jwksFile(path: string): Promise<JwksFile> {
  let lookedAt = performance.now();
  let mark = await markOf(path);
  const keys = await read(path);
  return {
    current: () => keys,
    async changed() {
      if (performance.now() - lookedAt < LOOK_EVERY_MS) return undefined;
      lookedAt = performance.now();
      const now = await markOf(path);
      if (now === mark) return undefined;
      const fresh = await read(path);
      mark = now;
      return fresh;
    },
  };
}

async function markOf(path: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(path);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    throw unusable(path, (error as Error).message);
  }
}

async function read(path: string): Promise<JSONWebKeySet> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    throw unusable(path, (error as Error).message);
  }
  const keys = typeof value === "object" && value !== null && "keys" in value ? value.keys : undefined;
  if (!Array.isArray(keys) || keys.length === 0) throw unusable(path, 'expected {"keys": [...]}');
  if (keys.some((key) => key?.kty === "oct" || key?.d !== undefined)) {
    throw unusable(path, "it holds a secret key: expected public ones alone");
  }
  return { keys };
}

function unusable(path: string, why: string): OperationError {
  return new OperationError("unavailable", `Cannot use the key set "${path}": ${why}`);
}
