import { readFileSync } from "node:fs";
import type { OpenApiDocument } from "../../pages/openapi/document.ts";
import { type FailureCode, failures } from "../../src/declare/failures.ts";
import { firstVersion, type Version, versions } from "../../src/declare/versions.ts";
import { type Part, partsOf } from "./interface-parts.ts";

const opening = `# Changes

What each version gives to those who call Duba. Within \`/api/v2\` changes only add: [what is promised](stability.md). The lists of what was added are
made from the operations; the rest is what [the changelog](../CHANGELOG.md) tells integrators. What operators notice stands there.

\`openapi.json\` has the versions too, as \`x-since\`: of each operation and webhook, of a parameter or member that came later than its operation, and by
code in \`FailureCode\`.
`;

/** The text of `docs/changes.md`. */
export function changesPage(document: OpenApiDocument): string {
  const parts = partsOf(document);
  const sections = (Object.keys(versions) as Version[]).toReversed().map((version) => {
    const added = version === firstVersion ? [] : parts.filter(({ since }) => since === version).flatMap(lineOf);
    const body = [added.join("\n"), changelogOf(version)].filter((text) => text !== "").join("\n\n");
    return `## ${version} – ${versions[version] ?? "not released yet"}\n\n${body || "Nothing yet."}\n`;
  });
  return [opening, ...sections, byOperation(parts)].join("\n");
}

/** Returns the heading of a version's section in the changelog. */
export function changelogHeading(version: Version): string {
  return versions[version] === null ? "## Unreleased" : `## ${version} – ${versions[version]}`;
}

/** Returns the changelog's text for integrators about a version. Links are relative to `docs/`. */
function changelogOf(version: Version): string {
  const [, section = ""] = readFileSync("CHANGELOG.md", "utf8").split(`${changelogHeading(version)}\n`);
  const [, told = ""] =
    /^### For integrators\n\n([\s\S]*?)\n*(?=\n##|$(?![\s\S]))/m.exec(section.split(/^## /m)[0]!) ?? [];
  return told.replaceAll(/\]\((?!\w+:)(docs\/)?/g, (_, docs?: string) => (docs ? "](" : "](../"));
}

/** Returns a list item; for a member or parameter, only if it came after its operation. */
function lineOf({ of, name, isLater, description, operations }: Part): string[] {
  if (of === "operations") return [`- Operation \`${name}\`: ${description}`];
  if (of === "events") return [`- Event \`${name}\`: ${description}`];
  if (of === "codes")
    return [`- Failure \`${failures[name as FailureCode].status} ${name}\`: ${failures[name as FailureCode].cause}`];
  if (!isLater) return [];
  const callers = [...operations].map((id) => `\`${id}\``).join(", ");
  return [`- ${callers}: ${memberOf(name)}: ${description}`];
}

/** "parameter `limit`" for `(limit?)`, "member `data.charged`" for `.data.charged`. */
function memberOf(name: string): string {
  const [, parameter, member] = /^(?:\((.*?)\??\)|\.(.*))$/.exec(name)!;
  return parameter === undefined ? `member \`${member}\`` : `parameter \`${parameter}\``;
}

function byOperation(parts: readonly Part[]): string {
  const rows = parts
    .filter(({ of }) => of === "operations")
    .map(({ name: id, since }) => {
      const later = parts.filter(({ isLater, operations }) => isLater && operations.has(id));
      const told = later.map(({ name, since }) => `${memberOf(name)} since ${since}`);
      return `| \`${id}\` | ${since} | ${told.join("; ") || "–"} |`;
    });
  return ["## By operation\n", "| operation | since | came later |", "| --- | --- | --- |", ...rows, ""].join("\n");
}
