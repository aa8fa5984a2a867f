"""A client for Duba on httpx. Copy this file into your project, and change it as you like."""

import random
import time
import uuid

import httpx

LONGEST_WAIT = 10


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
    def __init__(self, url, key, retries=3):
        headers = {"Authorization": f"Bearer {key}", "Accept": "application/json"}
        self._http = httpx.Client(base_url=url, headers=headers, follow_redirects=False)
        self._retries = retries

    def get(self, path, **query):
        """A look-up, such as get("/api/v2/internet/data/lookup", provider="MTNDATA"). Raises DubaFailure."""
        return self._repeat(lambda: self._send("GET", path, params=query, timeout=10))

    def verify(self, kind, person, idempotency_key=None):
        """Verifies a person by "bvn" or "nin". Store the key before you call, to go on after a crash. Raises DubaFailure."""
        key = idempotency_key or str(uuid.uuid4())
        headers = {"Idempotency-Key": key}
        try:
            # Each retry has the same key, so that it repeats or resumes the one verification.
            path = f"/api/v2/kyc/verify-{kind}"
            return self._repeat(lambda: self._send("POST", path, json=person, headers=headers, timeout=30))
        except DubaFailure as failure:
            failure.idempotency_key = key
            raise

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

    def _send(self, method, path, **options):
        try:
            response = self._http.request(method, path, **options)
        except httpx.HTTPError:
            raise DubaFailure("no_answer", "The connection failed, or the time ran out.", True) from None
        status = response.status_code
        try:
            answer = response.json()
        except ValueError:
            answer = {}
        if status == 200 and answer.get("success") is True:
            return answer
        error = answer.get("error")
        if not isinstance(error, dict) or "code" not in error:
            raise DubaFailure("unexpected_answer", f"The answer (HTTP {status}) is not one of Duba.", status >= 500)
        wait = response.headers.get("Retry-After", "0")
        raise DubaFailure(error["code"], answer["message"], error["retryable"], int(wait), error)
