import { expect, test } from "bun:test";
import { LEASE_MS, SendingLease } from "#dc/notices/notice_sender.ts";
import type { DcStore } from "#dc/ports.ts";
import { openTemporarySqlite } from "../../../support/dc/stores.ts";

interface Server {
  readonly lease: SendingLease;
  /** Wrong time that this server's clock shows, in milliseconds. */
  wrongMs: number;
  turn(): Promise<boolean>;
}

/** Servers with one uptime; in containers their host names and process ids are equal. */
async function servers(count: number) {
  const store: DcStore = await openTemporarySqlite();
  let uptime = 0;
  const all = Array.from({ length: count }, (): Server => {
    const server: Server = {
      lease: new SendingLease({ now: () => new Date(uptime + server.wrongMs), uptime: () => uptime }),
      wrongMs: 0,
      turn: () => store.write((writer) => server.lease.acquireLease(writer)),
    };
    return server;
  });
  const pass = (ms: number) => {
    uptime += ms;
  };
  const holders = () => all.filter(({ lease }) => lease.isHeld).length;
  return { store, all, pass, holders };
}

test("SendingLease is held by one of two servers, whatever their clocks show and however they are set", async () => {
  const { all, pass, holders } = await servers(2);
  const [first, second] = all as [Server, Server];
  expect([await first.turn(), await second.turn()]).toEqual([true, false]);
  for (const wrongMs of [0, 1, -1, 20_000, -20_000, 3_600_000, -3_600_000, 40 * 86_400_000, -40 * 86_400_000]) {
    second.wrongMs = wrongMs;
    first.wrongMs = -wrongMs / 2;
    for (let turn = 0; turn < 5; turn += 1) {
      pass(5000);
      expect([await second.turn(), await first.turn(), holders()]).toEqual([false, true, 1]);
    }
  }
});

test("SendingLease ends by time alone after a server was killed, and at once after it released the lease", async () => {
  const { all, pass, store, holders } = await servers(3);
  const [killed, next, last] = all as [Server, Server, Server];
  await killed.turn();
  expect(await next.turn()).toBe(false);
  pass(LEASE_MS - 1);
  expect([await next.turn(), holders()]).toEqual([false, 1]);
  pass(1);
  expect([await next.turn(), holders()]).toEqual([true, 1]);

  await store.write((writer) => next.lease.releaseLease(writer));
  expect([await last.turn(), await killed.turn(), holders()]).toEqual([true, false, 1]);
});

test("SendingLease waits for a lease of an earlier version no longer than for one of this version", async () => {
  const { all, pass, store } = await servers(1);
  const [server] = all as [Server];
  const earlier = JSON.stringify({ holder: "host 7 abc", until: Date.parse("2999-01-01") });
  await store.write((writer) => writer.setSetting("notices_lease", earlier));
  expect(await server.turn()).toBe(false);
  pass(LEASE_MS);
  expect(await server.turn()).toBe(true);
});
