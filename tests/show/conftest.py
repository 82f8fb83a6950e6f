"""What the tests of pictures share."""

from tests.support.browser import browser as browser
