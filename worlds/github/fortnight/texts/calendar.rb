# frozen_string_literal: true

require "date"

module Fortnight
  # Lengths of time between days.
  module Calendar
    # From one day to another.
    def self.between(from, to)
      Interval.new((to - from).to_i * Units::SECONDS[:day])
    end

    # How many weeks that have begun.
    def self.weeks(from, to)
      ((to - from).to_i + 6) / 7
    end

    # Whether a day is one on which people work.
    def self.working?(day)
      !day.saturday? && !day.sunday?
    end
  end
end
