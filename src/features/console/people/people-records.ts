import { type FeatureRecords, hasPart } from "../../../commands/records/record-kinds.ts";

/** The record kind of people. */
export const peopleRecords: FeatureRecords = {
  person: {
    before: "vendor",
    show: "people.show",
    by: "person",
    title: ({ name, email }) => String(name || email),
    state: "state",
    meta: ["email", "role", "last_seen_at", "id"],
    labelled: ["last_seen_at"],
    beside: ["people.change", "people.remove"],
    members: ["person", "author", "actor", "decided_by", "invited_by", "acknowledged_by", "made_by"],
    named: /@/,
    search: async (text, ask) =>
      (await ask("people.list", {}))
        .filter(({ id, email, name }) => id === text || hasPart(email, text) || hasPart(name, text))
        .map((person) => ({
          ...person,
          person: person.email,
          about: person.name || person.role,
          at: person.created_at,
        })),
  },
};
