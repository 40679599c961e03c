# frozen_string_literal: true

require "minitest/autorun"
require "fortnight"

class TestRound < Minitest::Test
  # Seconds, a step, and what they are rounded to.
  CASES = [
    [89, :minute, 60],
    [90, :minute, 120],
    [91, :minute, 120],
  ].freeze

  def test_steps
    CASES.each do |seconds, step, rounded|
      assert_equal rounded, Fortnight::Round.to(Fortnight::Interval.new(seconds), step).seconds
    end
  end
end
