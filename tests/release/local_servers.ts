import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { run } from "../../release/shell.ts";

export interface Served {
  readonly url: string;
  readonly close: () => void;
}

async function listening(server: Server): Promise<Served> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/**
 * Serves a release's files as a forge would.
 * @param replaced files that are answered with other bytes: a damaged download, a forged list
 */
export function serveFiles(folder: string, replaced: Readonly<Record<string, Buffer>> = {}): Promise<Served> {
  return listening(
    createServer((request, response) => {
      const name = decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname).slice(1);
      const path = join(folder, name);
      const bytes = replaced[name] ?? (!name.includes("..") && existsSync(path) ? readFileSync(path) : undefined);
      response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
    }),
  );
}

interface Manifest {
  readonly name: string;
  readonly version: string;
}

/** Serves npm tarballs as a registry: the documents and downloads that `npm install` asks for. */
export async function serveNpm(folder: string): Promise<Served> {
  const files = readdirSync(folder).filter((name) => name.startsWith("npm-") && name.endsWith(".tgz"));
  const packages = files.map((file) => ({
    file,
    manifest: JSON.parse(run("tar", ["-xzOf", join(folder, file), "package/package.json"])) as Manifest,
    integrity: `sha512-${createHash("sha512")
      .update(readFileSync(join(folder, file)))
      .digest("base64")}`,
  }));
  let base = "";
  const served = await listening(
    createServer((request, response) => {
      const path = decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname).slice(1);
      const download = packages.find(({ file }) => path === `-/${file}`);
      if (download !== undefined) return void response.end(readFileSync(join(folder, download.file)));
      const found = packages.find(({ manifest }) => manifest.name === path);
      response.writeHead(found === undefined ? 404 : 200, { "content-type": "application/json" });
      if (found === undefined) return void response.end('{"error":"not found"}');
      const { file, manifest, integrity } = found;
      const version = { ...manifest, dist: { integrity, tarball: `${base}/-/${file}` } };
      const tags = { latest: manifest.version };
      response.end(
        JSON.stringify({ name: manifest.name, "dist-tags": tags, versions: { [manifest.version]: version } }),
      );
    }),
  );
  base = served.url;
  return served;
}
