import { expect, test } from "bun:test";
import { refuse } from "#dc/model/refusal.ts";
import { watchStore } from "#dc/store/server_stores.ts";
import { OperationError } from "#kernel/errors.ts";
import { openMemory } from "../../../support/dc/memory/store.ts";

test("watchStore says that changes alone are refused where reads are answered", async () => {
  const said: string[] = [];
  const store = watchStore(openMemory(), (message) => said.push(message));
  const full = async () => {
    throw new OperationError("unavailable", "The disk is full", { cause: new Error("ENOSPC") });
  };

  await expect(store.write(full)).rejects.toMatchObject({ kind: "unavailable" });
  while (said.length === 0) await Bun.sleep(1);
  await store.read((reader) => reader.revision());
  await expect(store.write(full)).rejects.toMatchObject({ kind: "unavailable" });
  await store.write((writer) => writer.raiseRevision());
  while (!said.includes("The database can be used again")) await Bun.sleep(1);

  expect(said[0]).toBe("The database cannot be changed: ENOSPC; changes are refused as unavailable");
  expect(said.at(-1)).toBe("The database can be used again");
});

test("watchStore tells once when the database goes and once when it is back", async () => {
  const said: string[] = [];
  const store = watchStore(openMemory(), (message) => said.push(message));
  const away = async () => {
    throw new OperationError("unavailable", "The database does not answer", { cause: new Error("ECONNREFUSED") });
  };
  const refused = async () => {
    throw refuse("NOT_FOUND", "Cannot find it");
  };

  await store.read((reader) => reader.revision());
  await expect(store.write(refused)).rejects.toMatchObject({ kind: "not_found" });
  for (let times = 0; times < 3; times += 1) {
    await expect(store.read(away)).rejects.toMatchObject({ kind: "unavailable" });
    await expect(store.write(away)).rejects.toMatchObject({ kind: "unavailable" });
  }
  await store.read((reader) => reader.revision());
  await store.write((writer) => writer.raiseRevision());
  while (said.length < 2) await Bun.sleep(1);

  expect(said).toEqual([
    "The database cannot be used: ECONNREFUSED; calls are refused as unavailable",
    "The database can be used again",
  ]);
});
