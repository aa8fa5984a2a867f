"""A client for Duba on httpx. Copy this file into your project, and change it as you like."""

import random
import re
import time
import uuid

import httpx

LONGEST_WAIT = 10
# The member of a record that holds the number.
NUMBERS = {"bvn": "bvn_number", "nin": "nin"}


class DubaFailure(Exception):
    """A failure of the service, or no answer at all. Compare `code`; `error` is the member `error` of the answer."""

    def __init__(self, code, message, retryable, retry_after=0, error=None):
        super().__init__(message)
        self.code = code
        self.retryable = retryable
        self.retry_after = retry_after  # whole seconds
        self.error = error or {}
        self.idempotency_key = None  # verify again with it: you are charged once at most


class Duba:
    def __init__(self, url, key, retries=3, timeout=30):
        """`timeout`: the most seconds that one request of a verification waits for its answer."""
        headers = {"Authorization": f"Bearer {key}", "Accept": "application/json"}
        self._http = httpx.Client(base_url=url, headers=headers, follow_redirects=False)
        self._retries = retries
        self._timeout = timeout

    def get(self, path, **query):
        """A look-up, such as get("/api/v2/internet/data/lookup", provider="MTNDATA"). Raises DubaFailure."""
        return self._repeat(lambda: self._send("GET", path, params=query, timeout=10))

    def verify(self, kind, person, idempotency_key=None):
        """Verifies a person by "bvn" or "nin". The answer has its `idempotency_key`, and with names or a birth date their
        `match`. Store a key of yours before you call, to go on after a crash. Raises DubaFailure."""
        key = idempotency_key or str(uuid.uuid4())
        options = {"json": person, "headers": {"Idempotency-Key": key}, "timeout": self._timeout}
        number = str(person.get(kind)).replace(" ", "")

        def is_asked(answer):
            record = answer.get("data")
            # An account with masked answers is told the last digits.
            return isinstance(record, dict) and record.get(NUMBERS[kind]) in (number, "*" * 7 + number[-4:])

        try:
            # Each retry has the same key, so that it repeats or resumes the one verification.
            answer = self._repeat(lambda: self._send("POST", f"/api/v2/kyc/verify-{kind}", is_asked, **options))
        except DubaFailure as failure:
            failure.idempotency_key = key
            raise
        return {**answer, "idempotency_key": key}

    def _repeat(self, send):
        tries = 0
        while True:
            try:
                return send()
            except DubaFailure as failure:
                if not failure.retryable or tries >= self._retries or failure.retry_after > LONGEST_WAIT:
                    raise
                time.sleep(failure.retry_after + 0.25 * 2**tries * random.uniform(0.5, 1))
                tries += 1

    def _send(self, method, path, is_asked=lambda answer: True, **options):
        try:
            response = self._http.request(method, path, **options)
        except httpx.HTTPError:
            raise DubaFailure("no_answer", "The connection failed, or the time ran out.", True) from None
        status = response.status_code
        try:
            answer = response.json()
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            answer = {}
        if status == 200 and answer.get("success") is True and is_asked(answer):
            match = response.headers.get("Duba-Match")
            return {**answer, "match": match} if match else answer
        wait = response.headers.get("Retry-After", "")
        wait = int(wait) if re.fullmatch("[0-9]{1,9}", wait) else 0
        error = answer.get("error")
        error = error if isinstance(error, dict) else {}
        texts = (error.get("code"), answer.get("message"))
        is_duba = isinstance(error.get("retryable"), bool) and all(isinstance(text, str) for text in texts)
        # Gateways have failures of their own.
        if answer.get("success") is not False or not is_duba:
            may_help = status in (200, 408, 429) or status >= 500
            raise DubaFailure("unexpected_answer", f"The answer (HTTP {status}) is not one of Duba.", may_help, wait)
        raise DubaFailure(error["code"], answer["message"], error["retryable"], wait, error)
