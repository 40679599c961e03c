# frozen_string_literal: true

require "minitest/autorun"
require "fortnight"

class TestWriter < Minitest::Test
  def test_all_parts
    assert_equal "2 hours 15 minutes", Fortnight::Writer.write(Fortnight::Interval.new(8100))
  end
end
