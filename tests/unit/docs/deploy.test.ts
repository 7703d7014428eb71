import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { IMAGE } from "../../../release/image.ts";

const DEPLOY = join(import.meta.dirname, "../../../docs/deploy");
const read = (name: string) => readFileSync(join(DEPLOY, name), "utf8");
const [user] = IMAGE.user.split(":");
const [port] = IMAGE.port.split("/");

test("the Containerfile declares the user, port, directory and variables of the image", () => {
  const text = read("Containerfile");

  expect(text).toContain(`USER ${user}`);
  expect(text).toContain(`EXPOSE ${port}`);
  expect(text).toContain(`WORKDIR ${IMAGE.directory}`);
  for (const line of IMAGE.environment) expect(text).toContain(line);
  expect(JSON.parse(/^CMD (\[.*\])$/m.exec(text)?.[1] ?? "[]")).toEqual([...IMAGE.command]);
});

test("every file that the Containerfile copies from the project is there", () => {
  const copied = [...read("Containerfile").matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = ""]) =>
    files.split(" "),
  );

  expect(copied.length).toBeGreaterThan(4);
  for (const file of copied) expect(existsSync(join(DEPLOY, "../..", file))).toBe(true);
});

test("the Kubernetes manifest runs the image as the image runs itself", () => {
  const [deployment, service] = parseAllDocuments(read("kubernetes.yaml")).map((document) => document.toJS());
  const pod = deployment.spec.template.spec;
  const [container] = pod.containers;

  expect(pod.securityContext.runAsUser).toBe(Number(user));
  expect(pod.enableServiceLinks).toBe(false);
  expect(container.args).toEqual([...IMAGE.command]);
  expect(container.ports[0].containerPort).toBe(Number(port));
  expect(container.securityContext.readOnlyRootFilesystem).toBe(true);
  expect([container.livenessProbe.httpGet.path, container.readinessProbe.httpGet.path]).toEqual([
    "/healthz",
    "/readyz",
  ]);
  expect(service.spec.ports[0].targetPort).toBe(container.ports[0].name);
});

test.each(["compose.postgres.yaml", "compose.cockroach.yaml"])("%s publishes the port and keeps the volume", (name) => {
  const { services } = parse(read(name));

  expect(services.planner.ports).toEqual([`${port}:${port}`]);
  expect(services.planner.volumes).toEqual([`planner-data:${IMAGE.directory}`]);
  expect(services.planner.build.dockerfile).toBe("docs/deploy/Containerfile");
});
