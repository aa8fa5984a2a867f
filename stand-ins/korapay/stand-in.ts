import { always, birthDay, filled, type StandIn } from "../stand-in.ts";
import bvn from "./samples/bvn.json" with { type: "json" };
import nin from "./samples/nin.json" with { type: "json" };

const paths = { "/merchant/api/v1/identities/ng/bvn": "bvn", "/merchant/api/v1/identities/ng/nin": "nin" } as const;

const failure = (status: number, message: string) => always(status, { status: false, message, data: null });

/**
 * Korapay. Its documentation shows no failure. The stand-in stores nothing, so it cannot repeat an earlier response.
 */
export const korapayStandIn: StandIn = {
  settings: { DUBA_CONSENT: "attested" },
  beside: ({ method, path }) =>
    method === "GET" && path.startsWith("/merchant/api/v1/identities/verifications/")
      ? failure(404, "Record not found")()
      : undefined,
  hasCredentials: ({ headers }) => /^Bearer \S+$/.test(String(headers.authorization)),
  asked({ method, path, body }) {
    const kind = method === "POST" ? paths[path as keyof typeof paths] : undefined;
    return kind && { kind, number: String(body.id) };
  },
  referenceOf: (uuid) => `VR-${uuid.replaceAll("-", "").slice(0, 16)}`,
  found(person, { kind, number, reference }, photo) {
    const { personal_info: own, residential_info: home } = person;
    return filled((kind === "bvn" ? bvn : nin).sample, {
      reference,
      id: number,
      first_name: own.first_name,
      last_name: own.last_name,
      middle_name: own.middle_name,
      date_of_birth: birthDay(person),
      phone_number: own.phone_number,
      gender: own.gender.toLowerCase(),
      enrollment_branch: person.enrolment_branch,
      enrollment_institution: person.enrolment_bank,
      registration_date: person.formatted_registration_date,
      nin: person.nin || null,
      level_of_account: person.level_of_account,
      lga: home.lga_of_residence,
      state: home.state_of_residence,
      street: home.residential_address,
      marital_status: own.marital_status,
      lga_of_origin: own.lga_of_origin,
      other_mobile: own.phone_number_2,
      state_of_origin: own.state_of_origin,
      watch_listed: person.watchlisted,
      name_on_card: person.name_on_card,
      image: `data:image/jpeg;base64,${photo}`,
    });
  },
  failures: {
    not_found: ({ kind }) => failure(404, `${kind.toUpperCase()} not found`)(),
    no_money: failure(402, "Insufficient balance"),
    maintenance: failure(503, "Service unavailable"),
    too_many_requests: failure(429, "Too many requests"),
    no_credentials: failure(401, "Unauthorized"),
    no_route: failure(404, "This path does not exist"),
  },
};
