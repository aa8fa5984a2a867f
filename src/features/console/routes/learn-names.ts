import type { TSchema } from "typebox";
import { isRow, type Shape, shapeOf } from "../../../declare/command/projected.ts";
import { membersOf } from "../../../declare/command/read-texts.ts";
import type { Named } from "../../../declare/command/rich-text.ts";
import { isIdOrEmail, isPlainId } from "../../../declare/fields.ts";
import type { Db } from "../../../storage/tables.ts";
import type { ConsoleCommand } from "../site-map.ts";

/**
 * Names are looked up for this many keys at most, which is more than a page shows. Accounts and people have no limit.
 */
const most = 500;

/** Members that may name an account or a person. `group` in the books may be a client, a vendor or a day. */
const namesSomebody: ReadonlySet<string> = new Set(["account", "account_id", "email", "group"]);

/** Returns the accounts, people and keys in an answer, by the schema of each member. */
export function namedIn(schema: TSchema | Shape, value: unknown, name = ""): readonly Named[] {
  const { shows, items, properties, patternProperties } = shapeOf(schema);
  if (Array.isArray(value)) {
    if (shows === "richText" || shows === "sentence") return value.filter((piece) => typeof piece !== "string");
    return items ? value.flatMap((each) => namedIn(items, each, name)) : [];
  }
  if (isRow(value)) {
    if (shows === "facts")
      return ["account", "key"].flatMap((fact) => (value[fact] ? [{ [fact]: String(value[fact]) } as Named] : []));
    if (properties)
      return naming(properties).flatMap(([member, shape]) =>
        value[member] === undefined ? [] : namedIn(shape, value[member], member),
      );
    const [each] = Object.values(patternProperties ?? {});
    return each ? Object.entries(value).flatMap(([member, one]) => namedIn(each, one, member)) : [];
  }
  if (typeof value !== "string") return [];
  if (name === "key_id") return [{ key: value }];
  return shows === "account" || namesSomebody.has(name) ? [{ actor: value }] : [];
}

const namingMembers = new WeakMap<object, readonly (readonly [string, Shape])[]>();

/** Cached: the members that may contain names, so that long lists skip all others. */
function naming(properties: Record<string, Shape>): readonly (readonly [string, Shape])[] {
  const known = namingMembers.get(properties);
  if (known) return known;
  const found = Object.entries(properties).filter(([member, shape]) => mayName(shape, member));
  namingMembers.set(properties, found);
  return found;
}

function mayName(schema: Shape, name: string): boolean {
  const { shows, items, properties, patternProperties } = shapeOf(schema);
  if (name === "key_id" || namesSomebody.has(name)) return true;
  if (["richText", "sentence", "facts", "account"].includes(shows ?? "")) return true;
  if (items) return mayName(items, name);
  if (properties) return naming(properties).length > 0;
  return patternProperties !== undefined;
}

/** Returns the accounts, people and keys in the texts of a form or URL. */
export function namedInTexts({ input }: Pick<ConsoleCommand, "input">, texts: Readonly<Record<string, unknown>>) {
  return membersOf(input).flatMap(({ name }): Named[] => {
    const given = [texts[name] ?? []].flat().filter((text) => typeof text === "string");
    if (name === "id" || name === "key") return given.map((key) => ({ key }));
    return ["account", "person", "email"].includes(name) ? given.map((actor) => ({ actor })) : [];
  });
}

/** Adds the names of accounts, people and keys to `names`. */
export async function learnNames(db: Db, names: Map<string, string>, named: readonly Named[]): Promise<void> {
  const [whom, keys] = [new Set<string>(), new Set<string>()];
  // Typed text may be personal data, so only ids and e-mails may reach an SQL statement.
  const add = (one: string) => !names.has(one) && isIdOrEmail(one) && whom.add(one);
  const addKey = (id: string) => !names.has(id) && isPlainId(id) && keys.size < most && keys.add(id);
  for (const piece of named) {
    if ("key" in piece) addKey(piece.key);
    else if ("account" in piece) add(piece.account);
    else if ("actor" in piece) {
      const [sort, id] = piece.actor.split(":");
      if (id === undefined) add(piece.actor);
      if (sort === "key" && id !== undefined) addKey(id);
    }
  }
  const wanted = [...whom];
  const [people, accounts, labels] = await Promise.all([
    wanted.length === 0
      ? []
      : db
          .selectFrom("person")
          .select(["email as id", "name"])
          .$if(wanted.length <= most, (query) => query.where("email", "in", wanted))
          .execute(),
    wanted.length === 0
      ? []
      : db
          .selectFrom("account")
          .select(["id", "email", "name"])
          .$if(wanted.length <= most, (query) =>
            query.where((it) => it.or([it("id", "in", wanted), it("email", "in", wanted)])),
          )
          .execute(),
    keys.size === 0
      ? []
      : db
          .selectFrom("api_key")
          .select(["id", "label as name"])
          .where("id", "in", [...keys])
          .execute(),
  ]);
  const called = accounts.flatMap(({ id, email, name }) =>
    [id, email].flatMap((each) => (whom.has(each) ? { id: each, name } : [])),
  );
  for (const { id, name } of [...people, ...called, ...labels]) if (name !== "") names.set(id, name);
}
