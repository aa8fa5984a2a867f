import { always, birthDate, filled, type StandIn, type StandInAttempt } from "../stand-in.ts";
import bvn from "./samples/bvn.json" with { type: "json" };
import failures from "./samples/failures.json" with { type: "json" };
import nin from "./samples/nin.json" with { type: "json" };

const { notFound, blocked, noMoney, unavailable, badKey } = failures.samples;
const paths = { "/verification/bvn": "bvn", "/verification/vnin": "nin" } as const;

const ours = ({ reference }: StandInAttempt) => ({ reference, verification_id: reference.slice(0, 8) });
const negative = (sample: object) => (asked: StandInAttempt) => ({ status: 200, body: filled(sample, ours(asked)) });

/** Prembly. */
export const premblyStandIn: StandIn = {
  hasCredentials: ({ headers }) => Boolean(headers["x-api-key"]),
  asked({ method, path, body }) {
    const kind = method === "POST" ? paths[path as keyof typeof paths] : undefined;
    return kind && { kind, number: String(body[kind === "bvn" ? "number" : "number_nin"]) };
  },
  found(person, asked, photo) {
    const { personal_info: own, residential_info: home } = person;
    if (asked.kind === "bvn")
      return filled(bvn.sample, {
        ...ours(asked),
        bvn: asked.number,
        firstName: own.first_name,
        middleName: own.middle_name,
        lastName: own.last_name,
        dateOfBirth: own.date_of_birth,
        phoneNumber1: own.phone_number,
        phoneNumber2: own.phone_number_2,
        registrationDate: person.formatted_registration_date,
        enrollmentBank: person.enrolment_bank,
        enrollmentBranch: person.enrolment_branch,
        email: own.email,
        gender: own.gender,
        levelOfAccount: person.level_of_account,
        lgaOfOrigin: own.lga_of_origin,
        lgaOfResidence: home.lga_of_residence,
        maritalStatus: own.marital_status,
        nin: person.nin,
        nameOnCard: person.name_on_card,
        nationality: own.nationality,
        residentialAddress: home.residential_address,
        stateOfOrigin: own.state_of_origin,
        stateOfResidence: home.state_of_residence,
        watchListed: person.watchlisted,
        base64Image: photo,
      });
    return filled(nin.sample, {
      ...ours(asked),
      nin: asked.number,
      firstname: own.first_name,
      middlename: own.middle_name,
      surname: own.last_name,
      birthdate: birthDate(person),
      gender: own.gender === "Male" ? "m" : "f",
      telephoneno: own.phone_number,
      maritalstatus: own.marital_status,
      residence_AdressLine1: home.residential_address,
      residence_lga: home.lga_of_residence,
      residence_state: home.state_of_residence,
      self_origin_state: own.state_of_origin,
      self_origin_lga: own.lga_of_origin,
      photo,
    });
  },
  failures: {
    not_found: negative(notFound),
    blocked: negative(blocked),
    no_money: always(200, noMoney),
    maintenance: always(200, unavailable),
    too_many_requests: always(429, { status: false, message: "Too many requests" }),
    no_credentials: always(401, badKey),
    no_route: always(404, { status: false, message: "Not found" }),
  },
  refuses: ["maintenance"],
};
