# frozen_string_literal: true

module Fortnight
  # Compares lengths of time that need not be exact.
  module Compare
    # Whether two are no further apart than a third one.
    def self.near?(one, other, by)
      (one.seconds - other.seconds).abs <= by.seconds
    end

    def self.same?(one, other)
      one.seconds == other.seconds
    end

    # The longest of several.
    def self.longest(spans)
      spans.max_by(&:seconds)
    end
  end
end
