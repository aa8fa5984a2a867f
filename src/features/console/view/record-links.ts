import type { RecordKind } from "../../../commands/records/record-kinds.ts";
import { isRow } from "../../../declare/command/projected.ts";
import type { Command } from "../../../declare/command.ts";
import { addressOf, familyOf, type SiteMap } from "../site-map.ts";

/**
 * Returns the URL of the record that a member names; undefined if the member names none, or the role may not see the
 * record.
 */
export type RecordLink = (member: string, value: unknown) => string | undefined;

export function recordLinks(site: SiteMap): RecordLink {
  const kinds = new Map(
    Object.entries(site.records).flatMap(([kind, { members }]) => members.map((name) => [name, kind])),
  );
  return (member, value) => {
    const kind = kinds.get(member);
    if (kind === undefined || (typeof value !== "string" && typeof value !== "number")) return undefined;
    return recordAddress(site, { kind, name: String(value) });
  };
}

/** Returns the record kind that a command shows, with the head of its page. */
export function recordShownBy(
  { records }: Pick<SiteMap, "records">,
  { id }: Pick<Command<never>, "id">,
): Omit<RecordKind, "search"> | undefined {
  return Object.values(records).find(({ show }) => show === id && id.endsWith(".show"));
}

/** Returns the URL of a record; undefined if the id is malformed, or the role may not see the record. */
export function recordAddress(
  { commands, records }: SiteMap,
  { kind, name }: { kind: string; name: string },
): string | undefined {
  const { show, by, named } = records[kind]!;
  const command = commands.get(show);
  return command && named.test(name) ? addressOf(command, { [by]: name }) : undefined;
}

/** Returns the URL of the record that an answer is about, if the record is of the command's family. */
export function recordMade(site: SiteMap, command: Pick<Command<never>, "id">, answer: unknown): string | undefined {
  const [kind, record] =
    Object.entries(site.records).find(
      ([, { show }]) => show.endsWith(".show") && familyOf({ id: show }) === familyOf(command),
    ) ?? [];
  if (!record || !isRow(answer)) return undefined;
  const name = [record.by, "email", "id"]
    .map((member) => answer[member])
    .find((each) => record.named.test(String(each)));
  return typeof name === "string" ? recordAddress(site, { kind: kind!, name }) : undefined;
}

/** Returns the URL of the record that a command's input names; a verification takes precedence over its account. */
export function recordOfTexts(
  site: SiteMap,
  { id }: Pick<Command<never>, "id">,
  textOf: (member: string) => unknown,
): string | undefined {
  return Object.entries(site.records).flatMap(([kind, { show, by, members }]) => {
    // The member `id` counts only within one family.
    const isOwn = by !== "id" || familyOf({ id: show }) === familyOf({ id });
    const names = show.endsWith(".show") ? [...(isOwn ? [by] : []), ...members] : [];
    return names.flatMap((member) => {
      const name = textOf(member);
      return typeof name === "string" ? (recordAddress(site, { kind, name }) ?? []) : [];
    });
  })[0];
}
