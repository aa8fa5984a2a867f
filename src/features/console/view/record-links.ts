import type { RecordKind } from "../../../commands/records/record-kinds.ts";
import { isRow } from "../../../declare/command/projected.ts";
import type { Command } from "../../../declare/command.ts";
import { addressOf, familyOf, type SiteMap } from "../site-map.ts";

/** The page of the record that a member of an answer names, if it names one that the person may see. */
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

/** What a command shows one of, with the head of its page. */
export function recordShownBy(
  { records }: Pick<SiteMap, "records">,
  { id }: Pick<Command<never>, "id">,
): Omit<RecordKind, "search"> | undefined {
  return Object.values(records).find(({ show }) => show === id && id.endsWith(".show"));
}

/** The page of a record; undefined if its name is none, or the person may not see it. */
export function recordAddress(
  { commands, records }: SiteMap,
  { kind, name }: { kind: string; name: string },
): string | undefined {
  const { show, by, named } = records[kind]!;
  const command = commands.get(show);
  return command && named.test(name) ? addressOf(command, { [by]: name }) : undefined;
}

/** The page of the thing of its family that an answer is about. */
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

/** The page of the record that a command's input names; a verification goes before its account. */
export function recordOfTexts(
  site: SiteMap,
  { id }: Pick<Command<never>, "id">,
  textOf: (member: string) => unknown,
): string | undefined {
  return Object.entries(site.records).flatMap(([kind, { show, by, members }]) => {
    // Each family has ids of its own.
    const isOwn = by !== "id" || familyOf({ id: show }) === familyOf({ id });
    const names = show.endsWith(".show") ? [...(isOwn ? [by] : []), ...members] : [];
    return names.flatMap((member) => {
      const name = textOf(member);
      return typeof name === "string" ? (recordAddress(site, { kind, name }) ?? []) : [];
    });
  })[0];
}
