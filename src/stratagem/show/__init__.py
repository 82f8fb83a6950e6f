"""Pictures of boards, trees and searches, for terminals, pages and files. Internal."""
