import { expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { copyFileSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { followTlsFiles, readTlsPair } from "#cli/dc/serve/tls_files.ts";

const FIXTURES = join(import.meta.dirname, "../../../../fixtures/tls");

function pair() {
  const folder = mkdtempSync(join(tmpdir(), "planner-tls-"));
  const paths = { key: join(folder, "key.pem"), cert: join(folder, "cert.pem") };
  const put = (prefix: string) => {
    copyFileSync(join(FIXTURES, `${prefix}key.pem`), paths.key);
    copyFileSync(join(FIXTURES, `${prefix}cert.pem`), paths.cert);
  };
  put("");
  return { paths, put };
}

test("readTlsPair names the file that holds no PEM, and a key of another certificate", async () => {
  const { paths } = pair();
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

  await readTlsPair(paths);
  await expect(readTlsPair({ ...paths, cert: paths.key })).rejects.toThrow(
    `"${paths.key}" holds no certificate in PEM`,
  );
  writeFileSync(paths.key, privateKey.export({ type: "pkcs8", format: "pem" }));
  await expect(readTlsPair(paths)).rejects.toThrow(`"${paths.key}" is not the key of the certificate "${paths.cert}"`);
  writeFileSync(paths.key, "no key");
  await expect(readTlsPair(paths)).rejects.toMatchObject({ kind: "invalid_argument" });
  await expect(readTlsPair({ ...paths, key: "/nowhere/key.pem" })).rejects.toMatchObject({ kind: "not_found" });
});

test("followTlsFiles takes a renewed pair, and keeps the old one while the files cannot be used", async () => {
  const { paths, put } = pair();
  const first = await readTlsPair(paths);
  const renewals: string[] = [];
  const said: string[] = [];
  let heard = () => {};
  const line = () =>
    new Promise<void>((resolve) => {
      heard = resolve;
    });
  const say = (message: string) => {
    said.push(message);
    heard();
  };
  const stop = followTlsFiles(paths, first, { renew: ({ cert }) => renewals.push(cert), say, everyMs: 5 });

  const broken = line();
  writeFileSync(paths.key, "no key");
  await broken;
  const mended = line();
  put("");
  await mended;
  const kept = [...renewals];
  put("renewed_");
  while (renewals.length === 0) await line();
  stop();

  expect(kept).toEqual([]);
  expect(said[0]).toContain(`"${paths.key}" holds no private key in PEM; the certificate until`);
  expect(said[1]).toBe("The certificate and its key can be read again");
  expect(said.at(-1)).toStartWith("The certificate was reloaded and is valid until 2");
  expect(renewals).toHaveLength(1);
});
