import { createLocalJWKSet, type JWTVerifyGetKey } from "jose";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";

/** Reads a JSON Web Key Set. @throws OperationError invalid_argument for other text, and for a set with a secret key */
export function parseKeySet(text: string): JWTVerifyGetKey {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unusable((error as Error).message);
  }
  const keys = isJsonObject(value) ? value["keys"] : undefined;
  if (!Array.isArray(keys) || keys.length === 0) throw unusable('expected {"keys": [...]}');
  if (keys.some((key) => key?.kty === "oct" || key?.d !== undefined)) {
    throw unusable("it holds a secret key: expected public ones alone");
  }
  return createLocalJWKSet({ keys });
}

function unusable(why: string): OperationError {
  return new OperationError("invalid_argument", why);
}
