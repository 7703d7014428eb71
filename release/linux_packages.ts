import { chmodSync, cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { filesBelow, fixTimes } from "./pack.ts";
import { programOf, SHARED } from "./programs.ts";
import { OUT, PACKAGE, type Release, ROOT, WORK } from "./release.ts";
import { run } from "./shell.ts";
import type { Target } from "./targets.ts";

const SUMMARY = "Spec workflow tool and datacenter service in one executable";
/** Debian and RPM want a person who answers. A trial build has none. */
const MAINTAINER = process.env["PLANNER_RELEASE_MAINTAINER"] ?? "Trial build <nobody@localhost>";

/** Settings of the service, which an upgrade leaves as they are. */
const SETTINGS = "etc/planner/dc.env";

// The service needs a user of its own. Removing the package keeps the user and /var/lib/planner: they hold data.
const AFTER_INSTALL = `if ! getent passwd planner >/dev/null; then
  useradd --system --user-group --home-dir /var/lib/planner --no-create-home --shell /usr/sbin/nologin planner
fi
if [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi
`;
const BEFORE_REMOVE = `if [ -d /run/systemd/system ]; then systemctl disable --now planner-dc.service || true; fi
`;

/** Writes the Debian and RPM packages. The service is installed, not started. */
export function writeLinuxPackages(release: Release): void {
  for (const target of release.targets) {
    if (target.debian !== undefined) writeDeb(release, target, target.debian);
    if (target.rpm !== undefined) writeRpm(release, target, target.rpm);
  }
}

/** Lays out the files as they are installed. The distributions keep zsh's completions in different folders. */
function layOut(root: string, target: Target, zshFolder: string): void {
  const places: readonly [from: string, to: string][] = [
    [programOf(target), "usr/bin/planner"],
    [join(SHARED, "completions", "planner.bash"), "usr/share/bash-completion/completions/planner"],
    [join(SHARED, "completions", "_planner"), join(zshFolder, "_planner")],
    [join(SHARED, "completions", "planner.fish"), "usr/share/fish/vendor_completions.d/planner.fish"],
    [join(SHARED, "LICENSE"), `usr/share/doc/${PACKAGE}/copyright`],
    [join(SHARED, "THIRD-PARTY-LICENSES.txt"), `usr/share/doc/${PACKAGE}/THIRD-PARTY-LICENSES.txt`],
    [join(SHARED, "README.md"), `usr/share/doc/${PACKAGE}/README.md`],
    [join(SHARED, "CHANGELOG.md"), `usr/share/doc/${PACKAGE}/CHANGELOG.md`],
    [join(ROOT, "release", "linux", "planner-dc.service"), "usr/lib/systemd/system/planner-dc.service"],
    [join(ROOT, "release", "linux", "dc.env"), SETTINGS],
  ];
  for (const [from, to] of places) {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    cpSync(from, join(root, to));
  }
  const manual = join(root, "usr/share/man/man1");
  mkdirSync(manual, { recursive: true });
  for (const page of filesBelow(join(SHARED, "man", "man1"))) {
    writeFileSync(join(manual, `${relative(join(SHARED, "man", "man1"), page)}.gz`), gzipSync(readFileSync(page)));
  }
}

function writeDeb(release: Release, target: Target, architecture: string): void {
  const root = join(WORK, "deb", target.name);
  layOut(root, target, "usr/share/zsh/vendor-completions");
  const kilobytes = filesBelow(root).reduce((sum, path) => sum + Math.ceil(statSync(path).size / 1024), 0);
  mkdirSync(join(root, "DEBIAN"));
  const control = `Package: ${PACKAGE}
Version: ${release.version}
Architecture: ${architecture}
Maintainer: ${MAINTAINER}
Installed-Size: ${kilobytes}
Depends: libc6 (>= 2.17), passwd
Conflicts: planner
Recommends: git
Section: devel
Priority: optional
Homepage: ${release.repository}
Description: ${SUMMARY}
 planner creates, checks and searches work specs and runs coding agents on
 them in git worktrees. planner dc serves a datacenter inventory over gRPC,
 REST and GraphQL and answers what fails with what.
`;
  writeFileSync(join(root, "DEBIAN", "control"), control);
  writeFileSync(join(root, "DEBIAN", "postinst"), `#!/bin/sh\nset -e\n${AFTER_INSTALL}`, { mode: 0o755 });
  writeFileSync(join(root, "DEBIAN", "prerm"), `#!/bin/sh\nset -e\n${BEFORE_REMOVE}`, { mode: 0o755 });
  writeFileSync(join(root, "DEBIAN", "conffiles"), `/${SETTINGS}\n`);
  // Addresses of databases hold passwords. dpkg-deb takes the modes of the files.
  chmodSync(join(root, SETTINGS), 0o600);
  fixTimes(root, release.epoch);
  const file = join(OUT, `${PACKAGE}_${release.version}_${architecture}.deb`);
  const env = { SOURCE_DATE_EPOCH: String(release.epoch) };
  run("dpkg-deb", ["--root-owner-group", "-Zxz", "-z6", "--threads-max=1", "--build", root, file], { env });
}

function writeRpm(release: Release, target: Target, architecture: string): void {
  const top = join(WORK, "rpm", target.name);
  const root = join(top, "root");
  layOut(root, target, "usr/share/zsh/site-functions");
  fixTimes(root, release.epoch);
  // RPM wants every file named; modes are taken from the files.
  const files = filesBelow(root).map((path) => {
    const name = relative(root, path);
    if (name === SETTINGS) return `%config(noreplace) %attr(0600,root,root) "/${name}"`;
    return `${/\/(?:copyright|THIRD-PARTY-LICENSES\.txt)$/.test(name) ? "%license " : ""}"/${name}"`;
  });
  const spec = `Name: ${PACKAGE}
Version: ${release.version}
Release: 1
Summary: ${SUMMARY}
License: MIT
URL: ${release.repository}
Packager: ${MAINTAINER}
Requires: glibc >= 2.17
Requires(post): shadow-utils
Conflicts: planner
Recommends: git
AutoReqProv: no
%description
planner creates, checks and searches work specs and runs coding agents on
them in git worktrees. planner dc serves a datacenter inventory over gRPC,
REST and GraphQL and answers what fails with what.
%install
cp -a "${root}/." "%{buildroot}/"
%post
${AFTER_INSTALL}%preun
[ "$1" -gt 0 ] || { ${BEFORE_REMOVE}}
%files
%defattr(-,root,root,-)
${files.join("\n")}
%changelog
`;
  const specFile = join(top, `${PACKAGE}.spec`);
  writeFileSync(specFile, spec);
  const defines = {
    _topdir: top,
    _rpmdir: join(top, "out"),
    _buildhost: "reproducible",
    use_source_date_epoch_as_buildtime: "1",
    clamp_mtime_to_source_date_epoch: "1",
    _binary_payload: "w6T1.xzdio",
    __os_install_post: "%{nil}",
    debug_package: "%{nil}",
    _build_id_links: "none",
  };
  const words = Object.entries(defines).flatMap(([name, value]) => ["--define", `${name} ${value}`]);
  const env = { SOURCE_DATE_EPOCH: String(release.epoch) };
  run("rpmbuild", ["-bb", "--target", architecture, ...words, specFile], { env });
  const name = `${PACKAGE}-${release.version}-1.${architecture}.rpm`;
  cpSync(join(top, "out", architecture, name), join(OUT, name));
}
