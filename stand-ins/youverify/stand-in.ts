import { always, birthDay, filled, type StandIn, type StandInAttempt } from "../stand-in.ts";
import bvn from "./samples/bvn.json" with { type: "json" };
import failures from "./samples/failures.json" with { type: "json" };
import nin from "./samples/nin.json" with { type: "json" };

const { notFound, noMoney, noRoute } = failures.samples;
const paths = { "/v2/api/identity/ng/bvn": "bvn", "/v2/api/identity/ng/nin": "nin" } as const;

/** The sample has two members `id`: that of the response, and that of the requesting user. */
const ours = <Sample extends { data: object }>(sample: Sample, { kind, number, reference }: StandInAttempt) => ({
  ...sample,
  data: { ...sample.data, id: reference, idNumber: number, type: kind },
});

const failure = (status: number, message: string, name: string) =>
  always(status, { success: false, statusCode: status, message, name });

/** Youverify. */
export const youverifyStandIn: StandIn = {
  settings: { DUBA_CONSENT: "attested" },
  hasCredentials: ({ headers }) => Boolean(headers.token),
  asked({ method, path, body }) {
    const kind = method === "POST" ? paths[path as keyof typeof paths] : undefined;
    return kind && { kind, number: String(body.id) };
  },
  referenceOf: (uuid) => uuid.replaceAll("-", "").slice(0, 24),
  found(person, asked, photo) {
    const { personal_info: own, residential_info: home } = person;
    const { sample } = asked.kind === "bvn" ? bvn : nin;
    const said = filled(sample, {
      lga: home.lga_of_residence,
      state: home.state_of_residence,
      addressLine: home.residential_address,
      firstName: own.first_name,
      middleName: own.middle_name,
      lastName: own.last_name,
      image: `data:image/jpg;base64,${photo}`,
      mobile: own.phone_number,
      email: own.email || null,
      dateOfBirth: birthDay(person),
      gender: own.gender.slice(0, 1).toLowerCase(),
      enrollmentBank: person.enrolment_bank,
      enrollmentBranch: person.enrolment_branch,
      levelOfAccount: person.level_of_account,
      lgaOfOrigin: own.lga_of_origin,
      nameOnCard: person.name_on_card,
      nin: person.nin,
      registrationDate: person.formatted_registration_date,
      stateOfOrigin: own.state_of_origin,
      watchListed: person.watchlisted ?? "NO",
    });
    return ours(said, asked);
  },
  failures: {
    not_found: (asked) => ({ status: 200, body: ours(notFound, asked) }),
    no_money: always(402, noMoney),
    maintenance: failure(503, "Service unavailable", "ServiceUnavailableError"),
    too_many_requests: failure(429, "Too many requests", "TooManyRequestsError"),
    no_credentials: failure(401, "Unauthorized", "UnauthorizedError"),
    no_route: always(404, noRoute),
  },
};
