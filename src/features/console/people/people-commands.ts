import { listPeople } from "../../../access/people.ts";
import type { CommandContext } from "../../../commands/context.ts";
import { account, orNull, reference, secret, state, time } from "../../../declare/command/answer-schema.ts";
import { email } from "../../../declare/command/forms.ts";
import { formed, InputError } from "../../../declare/command/read-texts.ts";
import { richText } from "../../../declare/command/rich-text.ts";
import { command, roles } from "../../../declare/command.ts";
import Type from "../../../declare/schema/type.ts";
import { type Audited, triedFirst, type WithClock } from "../../../storage/audited.ts";
import { invitationLink } from "./invitation-link.ts";
import { leftBehind } from "./left-behind.ts";
import * as people from "./people-rows.ts";
import { peopleTrail } from "./people-trail.ts";

type InvitingRoom = Audited & WithClock & Pick<CommandContext, "consoleOrigin">;

const person = Type.String({
  description: "Id or e-mail of the person. `duba people list` shows both.",
  placeholder: "id or e-mail",
});

const role = Type.Optional(
  Type.Enum([...roles], {
    description:
      "What the person may do. A viewer reads, an operator changes accounts, " +
      "keys and the catalogue, an officer does all.",
  }),
);

const facts = {
  id: Type.String(),
  email: account,
  name: Type.String(),
  role: Type.Enum([...roles]),
};

const PersonFacts = Type.Object({
  ...facts,
  state: state(["invited", "registered"]),
  passkeys: Type.Integer(),
  invited_by: account,
  created_at: time,
  last_seen_at: orNull({ ...time, none: "never" }),
});

const left = {
  keys: Type.Array(Type.Object({ key_id: reference, account, mode: Type.String(), label: Type.String() })),
  secrets: Type.Array(Type.Object({ endpoint: reference, host: Type.String() })),
  waits: Type.Array(Type.Object({ what: Type.String(), since: time })),
};

const invite = command({
  id: "people.invite",
  title: "Invite somebody…",
  summary: "Invite a person to the console. The answer has a link that works once, for 15 minutes.",
  description:
    "With the link the person registers a passkey, which replaces an earlier one. " +
    "Invite a person again who lost the passkey. Without a role a new person is a viewer.",
  role: "officer",
  kind: "change",
  gives: "authority",
  target: ["email"],
  input: Type.Object({
    email: formed(email, { description: "E-mail of the person.", placeholder: "e-mail" }),
    role,
  }),
  answer: Type.Object({ ...facts, link: secret, expires_at: time }),
  view: ({ email, role, expires_at }, { at }) => [
    { text: richText`${{ actor: email }} is invited as ${role}. The link works once, until ${at(expires_at)}.` },
  ],
  records: [peopleTrail.personInvited],
  examples: [{ email: "ada@example.com", role: "operator" }],
  effect: (_, room: InvitingRoom, run) => triedFirst(room, run),
  run: async ({ email, role }, room: InvitingRoom) => {
    const { consoleOrigin: origin } = room;
    if (origin === undefined)
      throw new InputError("There is no console to invite to. Set DUBA_CONSOLE, such as DUBA_CONSOLE=127.0.0.1:8090.");
    const { person, secret, expiresAt } = await people.invitePerson(room, { email, role });
    return { ...person, link: invitationLink(origin, secret), expires_at: expiresAt };
  },
});

const list = command({
  id: "people.list",
  title: "People",
  summary: "List the people who may use the console.",
  role: "viewer",
  kind: "read",
  answer: Type.Array(PersonFacts),
  page: [
    { name: "person", of: ({ name, email }) => name || email },
    ...([{ name: "email", spare: true }, "role", "state"] as const),
    ...([{ name: "passkeys", spare: true }, { name: "invited_by", spare: true }, "last_seen_at"] as const),
  ],
  columns: ["email", "name", "role", "state", "passkeys", "invited_by", "created_at", "last_seen_at"],
  figures: (all) => {
    const invited = all.filter(({ state }) => state === "invited").length;
    const people = `${all.length} ${all.length === 1 ? "person" : "people"}`;
    return invited === 0 ? `${people}.` : `${people}, ${invited} invited and without a passkey yet.`;
  },
  none: "Nobody is invited yet.",
  run: async (_, { db }: Audited) => (await listPeople(db)).map(personOf),
});

function personOf(row: Awaited<ReturnType<typeof listPeople>>[number]) {
  return { ...row, state: row.passkeys > 0 ? ("registered" as const) : ("invited" as const) };
}

const show = command({
  id: "people.show",
  title: "Person",
  summary: "Show a person who may use the console.",
  role: "viewer",
  kind: "read",
  target: ["person"],
  input: Type.Object({ person }),
  answer: Type.Object({ ...PersonFacts.properties, ...left }),
  view: ({ keys, secrets, waits, ...facts }) => [
    { record: facts },
    ...(keys.length > 0 ? ["", { title: "Keys that this person made:", list: "keys" }] : []),
    ...(secrets.length > 0 ? ["", { title: "Secrets that this person was shown:", list: "secrets" }] : []),
    ...(waits.length > 0 ? ["", { title: "Waits for a second person:", list: "waits" }] : []),
  ],
  examples: [{ person: "ada@example.com" }],
  run: async ({ person }, { db, now }: Audited & WithClock) => {
    const { id } = await people.findPerson(db, person);
    const facts = personOf((await listPeople(db)).find((one) => one.id === id)!);
    return { ...facts, ...(await leftBehind(db, { id }, now())) };
  },
});

const change = command({
  id: "people.change",
  title: "Change…",
  summary: "Change the role, the name or the e-mail of a person, at once.",
  role: "officer",
  kind: "change",
  gives: "authority",
  target: ["person"],
  input: Type.Object({
    person,
    role,
    name: Type.Optional(Type.String({ description: "Name of the person.", placeholder: "name" })),
    email: Type.Optional(formed(email, { description: "New e-mail of the person.", placeholder: "e-mail" })),
  }),
  answer: Type.Object(facts),
  view: ({ email, role }) => [{ text: richText`${{ actor: email }} has the role ${role}.` }],
  records: [peopleTrail.personChanged],
  examples: [{ person: "ada@example.com", role: "officer" }],
  effect: (_, room: Audited & WithClock, run) => triedFirst(room, run),
  run: async ({ person, ...change }, room: Audited & WithClock) => {
    if (Object.keys(change).length === 0)
      throw new InputError("The command has nothing to change. Add a role, a name or an e-mail.");
    return people.changePerson(room, person, change);
  },
});

const remove = command({
  id: "people.remove",
  title: "Remove…",
  summary: "Remove a person from the console. The person's sessions end at once.",
  role: "officer",
  kind: "danger",
  gives: "authority",
  target: ["person"],
  input: Type.Object({ person }),
  answer: Type.Object(facts),
  view: ({ email }) => [{ text: richText`${{ actor: email }} is removed.` }],
  records: [peopleTrail.personRemoved],
  examples: [{ person: "ada@example.com" }],
  effect: async ({ person }, room: Audited & WithClock, run) => {
    await triedFirst(room, run);
    const { keys, secrets, waits } = await leftBehind(room.db, await people.findPerson(room.db, person), room.now());
    return {
      says: [
        ...keys.map(
          ({ key_id, account, mode }) =>
            richText`The ${mode} key ${{ key: key_id }} of ${{ account }}, which this person was shown, stays in force.`,
        ),
        ...secrets.map(
          ({ endpoint, host }) =>
            `The secret of the endpoint ${endpoint} of ${host}, which this person was shown, stays in force.`,
        ),
        ...waits.map(({ what, since }) => richText`Since ${{ time: since }}, ${what} waits for a second person.`),
      ],
    };
  },
  run: async ({ person }, room: Audited & WithClock) => people.removePerson(room, person),
});

export const peopleCommands = [invite, list, show, change, remove];
