# frozen_string_literal: true

require "minitest/autorun"
require "fortnight"

class TestInterval < Minitest::Test
  # An amount, its unit, and how many seconds that is.
  CASES = [
    [1, :minute, 60],
    [1, :hour, 3600],
  ].freeze

  def test_amounts
    CASES.each do |amount, unit, seconds|
      assert_equal seconds, amount * Fortnight::Units::SECONDS.fetch(unit)
    end
  end
end
