import type { RegistrationResponseJSON } from "@simplewebauthn/server";
import { AccessError } from "../../../access/access-error.ts";
import { accessTrail } from "../../../declare/access-trail.ts";
import { orNull, time, yes } from "../../../declare/command/answer-schema.ts";
import { passkeyDigest } from "../../../declare/command/deed.ts";
import { command } from "../../../declare/command.ts";
import Type from "../../../declare/schema/type.ts";
import { type Audited, inTransaction, triedFirst, type WithClock } from "../../../storage/audited.ts";
import { addPasskey } from "./new-passkeys.ts";
import { PasskeyError } from "./passkeys.ts";
import { findPerson, personActor } from "./people-rows.ts";
import { peopleTrail } from "./people-trail.ts";
import { endOthers, sessionsOf } from "./sessions.ts";

/** The context of commands about a person's own sign-in. */
type OwnRoom = Audited & WithClock & { consoleOrigin: string | undefined; session?: string | undefined };

/** Returns the person who runs the command, with the session's hash. */
async function signedInPerson({ db, actor, session }: OwnRoom) {
  if (session === undefined) throw new AccessError("This is about your own sign-in. Sign in to the console.");
  return { ...(await findPerson(db, actor.replace(/^person:/, ""))), session };
}

const listPasskeys = command({
  id: "passkeys.list",
  title: "Passkeys",
  summary: "List your passkeys. Each signs you in.",
  role: "viewer",
  kind: "read",
  answer: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      registered_at: time,
      last_used_at: orNull({ ...time, none: "never" }),
    }),
  ),
  columns: ["name", "registered_at", "last_used_at"],
  run: async (_, room: OwnRoom) => {
    const { id } = await signedInPerson(room);
    return room.db
      .selectFrom("passkey")
      .select(["id", "name", "created_at as registered_at", "used_at as last_used_at"])
      .where("person_id", "=", id)
      .orderBy("created_at")
      .execute();
  },
});

const add = command({
  id: "passkeys.add",
  title: "Add a passkey",
  summary: "Add a passkey of yours: of another device, or of a security key.",
  description:
    "Your browser makes the new passkey. It counts once a passkey that you have confirms it. " +
    "With two passkeys you can lose a device and still sign in.",
  role: "viewer",
  kind: "change",
  gives: "authority",
  input: Type.Object({
    name: Type.String({ description: "By which you tell it from your others, such as Laptop or Phone.", minLength: 1 }),
    credential: Type.String({
      description: "What the browser made. A script fills it in.",
      holds: "passkey",
      private: true,
    }),
  }),
  answer: Type.Object({ name: Type.String() }),
  view: ({ name }) => [`The passkey ${name} is added. It signs you in from now on.`],
  records: [accessTrail.passkeyAdded],
  examples: [{ name: "Phone", credential: "{}" }],
  run: async ({ name, credential }, room: OwnRoom) => {
    const { id } = await signedInPerson(room);
    const place = { ...room, origin: room.consoleOrigin! };
    await addPasskey(place, id, { name, response: parsed(credential) });
    return { name };
  },
});

function parsed(credential: string): RegistrationResponseJSON {
  try {
    return JSON.parse(credential);
  } catch {
    throw new PasskeyError("Your browser made no valid passkey. Try again.");
  }
}

const remove = command({
  id: "passkeys.remove",
  title: "Remove…",
  summary: "Remove a passkey of yours, such as that of a lost device. Your other sessions end at once.",
  role: "viewer",
  kind: "danger",
  gives: "authority",
  target: ["passkey"],
  input: Type.Object({ passkey: Type.String({ description: "Id of the passkey.", placeholder: "id" }) }),
  answer: Type.Object({ name: Type.String() }),
  view: ({ name }) => [`The passkey ${name} is removed. Your other sessions have ended.`],
  records: [peopleTrail.passkeyRemoved],
  examples: [{ passkey: "q83v" }],
  effect: (_, room: OwnRoom, run) => triedFirst(room, run),
  run: async ({ passkey }, room: OwnRoom) => {
    const person = await signedInPerson(room);
    return inTransaction(room.db, async (trx) => {
      // This update locks the person's row, so that two requests at once cannot remove the last two passkeys.
      await trx.updateTable("person").set({ last_seen_at: room.now() }).where("id", "=", person.id).execute();
      const own = await trx.selectFrom("passkey").selectAll().where("person_id", "=", person.id).execute();
      const gone = own.find(({ id }) => id === passkey);
      if (!gone) throw new AccessError("You have no such passkey.");
      if (own.length === 1)
        throw new AccessError("This is your only passkey: without it you could not sign in. Add another one first.");
      await trx.deleteFrom("passkey").where("id", "=", gone.id).execute();
      await endOthers(trx, person.id, person.session);
      const facts = { name: gone.name, passkey: passkeyDigest(gone.public_key) };
      await room.audit(trx, peopleTrail.passkeyRemoved(personActor(person), { person: person.id, ...facts }));
      return { name: gone.name };
    });
  },
});

const listSessions = command({
  id: "sessions.list",
  title: "Sessions",
  summary: "List your sessions: where you are signed in.",
  role: "viewer",
  kind: "read",
  answer: Type.Array(
    Type.Object({ id: Type.String(), browser: Type.String(), began_at: time, last_seen_at: time, this_one: yes }),
  ),
  columns: ["browser", "began_at", "last_seen_at", "this_one"],
  run: async (_, room: OwnRoom) => {
    const { id, session } = await signedInPerson(room);
    return (await sessionsOf(room.db, id, room.now())).map(({ secret_hash, browser, created_at, seen_at }) => ({
      id: secret_hash,
      browser,
      began_at: created_at,
      last_seen_at: seen_at,
      this_one: secret_hash === session,
    }));
  },
});

const ended = Type.Object({ sessions: Type.Integer() });

const end = command({
  id: "sessions.end",
  title: "End…",
  summary: "End another session of yours at once.",
  role: "viewer",
  kind: "change",
  target: ["session"],
  fits: ({ this_one }) => this_one === false,
  input: Type.Object({ session: Type.String({ description: "Id of the session.", placeholder: "id" }) }),
  answer: ended,
  view: () => ["The session has ended."],
  records: [peopleTrail.sessionEnded],
  examples: [{ session: "5f3a" }],
  run: async ({ session }, room: OwnRoom) => endedIn(room, session),
});

const endAll = command({
  id: "sessions.end-others",
  title: "End all others…",
  summary: "End all your sessions but this one at once.",
  role: "viewer",
  kind: "change",
  answer: ended,
  view: () => ["Your other sessions have ended."],
  records: [peopleTrail.sessionEnded],
  run: async (_, room: OwnRoom) => endedIn(room),
});

async function endedIn(room: OwnRoom, only?: string): Promise<{ sessions: number }> {
  const person = await signedInPerson(room);
  return inTransaction(room.db, async (trx) => {
    const sessions = await endOthers(trx, person.id, person.session, only);
    if (sessions === 0) throw new AccessError("You have no other session that lives.");
    await room.audit(trx, peopleTrail.sessionEnded(personActor(person), { person: person.id, sessions }));
    return { sessions };
  });
}

/** Commands about a person's own sign-in. Not for terminals, where nobody signs in. */
export const ownCommands = [listPasskeys, add, remove, listSessions, end, endAll];
