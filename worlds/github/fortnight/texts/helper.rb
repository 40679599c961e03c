# frozen_string_literal: true

require "fortnight"

# Spans for tests.
module Helper
  def minutes(count)
    Fortnight::Interval.new(count * 60)
  end
end
